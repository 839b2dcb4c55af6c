import type { Auth } from '../http/endpoint-description.ts';
import type { JsonObject } from './docs.ts';

/** The ways to send an API key. Specification: Authentication; assumption A17. */
export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'API key. Keys start with `sk-`.' },
  anthropicKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'API key, as sent by Anthropic clients.',
  },
  geminiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: 'API key, as sent by Gemini clients.',
  },
  geminiQueryKey: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'API key, as sent by Gemini clients without the header.',
  },
};

/** Lists the schemes that an endpoint accepts, each as an alternative; none if it is public. */
export function security(auth: Auth): JsonObject[] {
  if (auth === 'none') return [];
  const names = auth === 'any-key' ? Object.keys(securitySchemes) : ['bearer'];
  return names.map((name) => ({ [name]: [] }));
}

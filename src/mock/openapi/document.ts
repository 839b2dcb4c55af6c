import type { RequestContext } from '../http/request-context.ts';
import { operation } from './operation.ts';
import type { Json } from './docs.ts';
import { tags } from './tags/index.ts';
import { componentParameters } from './parameters.ts';
import { componentSchemas } from './schemas.ts';
import { version } from '../public/records.ts';

const description = `One gateway in front of many models: chat, images, video, music and speech, behind one key and one wallet.

**Authentication.** Every operation but those of the tag Service takes \`Authorization: Bearer sk-…\`. A missing or unknown key is 401, a disabled one 403.

**Tasks.** Images, videos, music and speech are made by tasks: submit one, keep its id, ask for it every 2 to 5 seconds until its status is \`completed\`, \`succeeded\` or \`failed\`, and fetch the file soon, because its URL does not live for ever.

**Money.** \`x-svc-charge-usd\` tells what a request costs. When the outcome of a submit is unknown, send it again with the same \`x-idempotency-key\`: the same task comes back and nothing is charged again.

**Concurrency.** Chat and generation requests share a limit, told in \`x-svc-concurrency-limit\` and \`x-svc-concurrency-remaining\`; beyond it the answer is 429.

**Errors.** Every error but those of the key balance is \`{"error": {"message", "type", "code"}}\`; \`GET /v1/errors\` explains the codes.

**Open records.** Records may gain fields and most words may gain values: ignore what you do not know.`;

/** The gateway's description of itself, made from the table of endpoints by which it works. */
export function openApiDocument({ origin, services }: RequestContext): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of services.endpoints) {
    if (endpoint.hidden === true) continue;
    const { path, method } = endpoint;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Model gateway',
      version,
      description,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: origin, description: 'The gateway that answered with this document' }],
    tags: tags.map(({ tag }) => tag),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes,
      parameters: componentParameters(),
      schemas: componentSchemas(),
    },
  };
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key; keys begin with `sk-`.' },
};

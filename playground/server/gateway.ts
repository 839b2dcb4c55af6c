import { randomUUID } from 'node:crypto';

import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';

import { suggestions } from '../shared/suggestions.ts';

/** The gateway behind the playground. */
export interface Upstream {
  apiKey: string;
  baseURL: string;
  fetch: typeof globalThis.fetch;
  /** Only set for the reference gateway. */
  mock?: MockGateway | undefined;
}

/** Returns the real gateway from the environment; undefined if the variables are not set. */
export function realGateway(env: NodeJS.ProcessEnv): Upstream | undefined {
  const { POLYGATE_BASE_URL: baseURL, POLYGATE_API_KEY: apiKey } = env;
  if (baseURL && apiKey) return { apiKey, baseURL, fetch: globalThis.fetch };
  if (!baseURL && !apiKey) return undefined;
  throw new Error(
    'To use a real gateway, set both POLYGATE_BASE_URL and POLYGATE_API_KEY. To use the reference gateway, set neither.',
  );
}

/** Creates a reference gateway in this process, on the system clock. */
export function referenceGateway(origin: string): Upstream {
  const seconds = { image: 5, video: 12, audio: 7 };
  const mock = createMockGateway({
    keys: [{ key: `sk-playground-${randomUUID()}` }],
    seed: randomUUID(),
    wallet: { usd: 25 },
    tasks: { durationMs: ({ kind }) => seconds[kind] * 1000 },
    latencyMs: 350,
    chunkDelayMs: 80,
  });
  for (const [message, text] of Object.entries(suggestions)) mock.reply({ match: message, text });
  // URLs in responses use the origin of the request, so results are loaded from the page's own origin.
  return {
    apiKey: mock.apiKey,
    baseURL: origin,
    fetch: (input, init) => mock.fetch(input, init),
    mock,
  };
}

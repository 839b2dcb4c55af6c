import { randomUUID } from 'node:crypto';

import { createMockGateway } from 'polygate/mock';
import type { MockGateway } from 'polygate/mock';

/** The gateway behind the playground. */
export interface Upstream {
  apiKey: string;
  baseURL: string;
  fetch: typeof globalThis.fetch;
  /** Only there when it is the reference gateway. */
  mock?: MockGateway | undefined;
}

/** A real gateway; undefined when the environment names none. */
export function realGateway(env: NodeJS.ProcessEnv): Upstream | undefined {
  const { POLYGATE_BASE_URL: baseURL, POLYGATE_API_KEY: apiKey } = env;
  if (baseURL && apiKey) return { apiKey, baseURL, fetch: globalThis.fetch };
  if (!baseURL && !apiKey) return undefined;
  throw new Error('Set both POLYGATE_BASE_URL and POLYGATE_API_KEY for a real gateway, or none.');
}

/** The reference gateway, in this process and in real time. */
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
  // Links in its answers begin with the address that it is called by: pictures come from the page's own origin.
  return {
    apiKey: mock.apiKey,
    baseURL: origin,
    fetch: (input, init) => mock.fetch(input, init),
    mock,
  };
}

import { randomUUID } from 'node:crypto';

import type { Upstream } from '../lab/lab.ts';
import { createReferenceGateway } from '../lab/reference-gateway.ts';
import type { ReferenceOptions } from '../lab/reference-gateway.ts';

/** Returns the real gateway from the environment; undefined if the variables are not set. */
export function realGateway(env: NodeJS.ProcessEnv): Upstream | undefined {
  const { POLYGATE_BASE_URL: baseURL, POLYGATE_API_KEY: apiKey } = env;
  if (baseURL && apiKey) return { apiKey, baseURL, fetch: globalThis.fetch };
  if (!baseURL && !apiKey) return undefined;
  throw new Error(
    'To use a real gateway, set both POLYGATE_BASE_URL and POLYGATE_API_KEY. To use the reference gateway, set neither.',
  );
}

/** Creates a reference gateway in this process. */
export function referenceGateway(origin: string, options: ReferenceOptions = {}): Upstream {
  const seed = randomUUID();
  const mock = createReferenceGateway(`sk-playground-${randomUUID()}`, { seed, ...options });
  // URLs in responses use the origin of the request, so results are loaded from the page's own origin.
  return {
    apiKey: mock.apiKey,
    baseURL: origin,
    fetch: (input, init) => mock.fetch(input, init),
    mock,
  };
}

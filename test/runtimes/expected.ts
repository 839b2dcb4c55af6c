import { expect } from 'vitest';

import type { Runtime } from './runtimes.ts';

const said = expect.stringMatching(/^You said: Describe a harbour\. /);
const unknown = 'unknown';
const badGateway = { name: 'ServerError', status: 502, code: 'bad_gateway' };

/** Keys are made with `crypto.subtle`. */
const refusedBatch = ['ConfigurationError', 'ConfigurationError'];

const everywhere = {
  words: said,
  image: 'succeeded',
  aborted: { name: 'AbortedError', outcome: unknown },
  refused: { name: 'BadRequestError', status: 400, code: 'model_not_found', outcome: 'rejected' },
  cut: { name: 'StreamTruncatedError', outcome: unknown },
  batch: ['succeeded', 'succeeded'],
  lost: { name: 'ConnectionError', outcome: unknown },
};

const server = {
  ...everywhere,
  inProcess: said,
  redirected: { name: 'APIError', status: 302, outcome: 'rejected' },
  behindProxy: { image: 'succeeded', lost: { ...badGateway, outcome: unknown } },
};

/** What each kind of runtime reports. */
export const expected: Readonly<Record<Runtime['kind'] | 'bare', object>> = {
  process: { ...server, journal: true, listens: true, required: Array(5).fill(true) },
  worker: server,
  page: {
    ...everywhere,
    inProcess: said,
    isSecureContext: true,
    // All that a page gets to see of a redirect.
    redirected: { name: 'APIError', status: 0, outcome: 'rejected' },
  },
  bare: { ...everywhere, redirected: server.redirected, batch: refusedBatch },
  'plain page': {
    ...everywhere,
    inProcess: said,
    isSecureContext: false,
    redirected: badGateway,
    batch: refusedBatch,
    lost: { ...badGateway, outcome: unknown },
  },
};

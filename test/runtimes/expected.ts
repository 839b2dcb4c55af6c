import { expect } from 'vitest';

import type { Runtime } from './runtime.ts';

const echo = expect.stringMatching(/^You said: Describe a harbor\. /);
const unknown = 'unknown';
const badGateway = { name: 'ServerError', status: 502, code: 'bad_gateway' };

/** Batch keys need `crypto.subtle`, which is missing here. */
const failedBatch = ['ConfigurationError', 'ConfigurationError'];

const connectionLost = { name: 'ConnectionError', outcome: unknown };
const count = expect.any(Number);

const traced = [
  'GET /v1/models',
  'generate image',
  'generate image > generate_image prism-image',
  'generate image > wait image',
  'generate image > wait image > GET /v1/images/tasks/{id}',
];

const everywhere = {
  words: echo,
  image: 'succeeded',
  aborted: { name: 'AbortedError', outcome: unknown },
  refused: { name: 'BadRequestError', status: 400, code: 'model_not_found', outcome: 'rejected' },
  cut: { name: 'StreamTruncatedError', outcome: unknown },
  batch: ['succeeded', 'succeeded'],
  lost: connectionLost,
  hooked: { words: echo, image: 'succeeded', requests: count, responses: count },
  lostWithHooks: connectionLost,
};

const server = {
  ...everywhere,
  inProcess: echo,
  redirected: { name: 'APIError', status: 302, outcome: 'rejected' },
  behindProxy: { image: 'succeeded', lost: { ...badGateway, outcome: unknown } },
  traced,
};

/** The expected report of each kind of runtime. */
export const expected: Readonly<Record<Runtime['kind'] | 'bare', object>> = {
  process: { ...server, journal: true, listens: true, required: Array(8).fill(true) },
  worker: server,
  page: {
    ...everywhere,
    inProcess: echo,
    isSecureContext: true,
    // Browsers hide the status of a redirect from pages, so its outcome is unknown, which is harmless for a GET.
    redirected: { name: 'APIError', status: 0 },
  },
  bare: { ...everywhere, redirected: server.redirected, batch: failedBatch },
  'plain page': {
    ...everywhere,
    inProcess: echo,
    isSecureContext: false,
    redirected: badGateway,
    batch: failedBatch,
    lost: { ...badGateway, outcome: unknown },
    lostWithHooks: { ...badGateway, outcome: unknown },
  },
};

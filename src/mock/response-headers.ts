import type { Endpoint } from './endpoint.ts';

const concurrency = [
  'x-svc-concurrency-limit',
  'x-svc-concurrency-remaining',
  'x-svc-concurrency-source',
];

/** The headers of endpoints that have their own. Specification: Endpoints. */
const named: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/account': [
    'x-svc-wallet',
    'x-svc-balance-usd',
    'x-svc-balance-cny',
    'x-svc-concurrency-limit',
    'x-svc-concurrency-source',
  ],
  'GET /v1/readiness': [
    'x-svc-wallet',
    'x-svc-readiness-score',
    'x-svc-readiness-status',
    'x-svc-concurrency-limit',
  ],
  'POST /v1/chat/completions': ['x-svc-charge-usd', 'x-svc-wallet', ...concurrency],
};

const generation = ['x-svc-task-id', 'x-svc-charge-usd', ...concurrency, 'x-svc-idempotent-replay'];

/**
 * The documented headers of an endpoint's success, as the description of the service shows them.
 */
export function responseHeaders({ route, slot }: Endpoint): Record<string, unknown> {
  const names = named[route] ?? (slot ? generation : []);
  const text = { schema: { type: 'string' } };
  return Object.fromEntries(['x-request-id', ...names].map((name) => [name, text]));
}

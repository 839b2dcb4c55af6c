import type { EndpointDescription } from '../http/endpoint-description.ts';
import type { Json } from './docs.ts';

const amount = { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' };
const count = { type: 'string', pattern: '^\\d+$' };
const text = { type: 'string' };

const headerDocs: Readonly<Record<string, readonly [description: string, schema: Json]>> = {
  'x-request-id': ['Request id. Include it when you contact support.', text],
  'x-svc-wallet': ['Wallet type.', { type: 'string', enum: ['unified'] }],
  'x-svc-balance-usd': ['Balance in USD.', amount],
  'x-svc-balance-cny': ['The same balance in CNY.', amount],
  'x-svc-readiness-score': ['Readiness score.', amount],
  'x-svc-readiness-status': ['Overall readiness status.', text],
  'x-svc-task-id': ['Task id.', text],
  'x-svc-charge-usd': ['Charge for this request in USD.', amount],
  'x-svc-concurrency-limit': [
    'Maximum number of chat and generation requests in flight at the same time.',
    count,
  ],
  'x-svc-concurrency-remaining': ['Approximate number of free concurrency slots.', count],
  'x-svc-concurrency-source': [
    'Rule that sets the concurrency limit, such as `tier_enterprise`.',
    text,
  ],
  'x-svc-idempotent-replay': [
    'Present if the idempotency key was used before. A replay is not charged again.',
    { type: 'string', enum: ['true'] },
  ],
  location: ['Path at which to poll the task.', text],
  'retry-after': ['Time to wait before the next request, in seconds.', amount],
};

const concurrency = [
  'x-svc-concurrency-limit',
  'x-svc-concurrency-remaining',
  'x-svc-concurrency-source',
];

/** Success headers of endpoints that have their own. Specification: Endpoints. */
const headersByRoute: Readonly<Record<string, readonly string[]>> = {
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

/** Headers of a success response. */
export function successHeaders({ route, slot, path }: EndpointDescription): Json {
  const generation = slot ? ['x-svc-task-id', 'x-svc-charge-usd', ...concurrency] : [];
  const submitsTask = slot && !path.includes('/chat/') && !path.includes('/voices/');
  return headers(
    ['x-request-id', ...(headersByRoute[route] ?? generation)],
    [
      ...(slot || route === 'POST /v1/materials' ? ['x-svc-idempotent-replay'] : []),
      ...(submitsTask ? ['location', 'retry-after'] : []),
      ...(path.endsWith('{taskId}') ? ['x-svc-task-id'] : []),
    ],
  );
}

/** Headers of an error response. Only requests that pass authentication report concurrency. */
export function errorHeaders({ slot }: EndpointDescription, status: string): Json {
  const wait = status === '429' || status === '503' ? ['retry-after'] : [];
  const authenticated = slot && status !== '401' && status !== '403';
  return headers(['x-request-id'], [...(authenticated ? concurrency : []), ...wait]);
}

function headers(required: readonly string[], optional: readonly string[]): Json {
  return Object.fromEntries([
    ...required.map((name) => [name, { ...header(name), required: true }] as const),
    ...optional.map((name) => [name, header(name)] as const),
  ]);
}

function header(name: string): Json {
  const [description = name, schema = text] = headerDocs[name] ?? [];
  return { description, schema };
}

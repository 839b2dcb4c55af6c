import type { EndpointDescription } from '../http/endpoint-description.ts';
import type { JsonObject } from './docs.ts';

const decimal = { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' };
const count = { type: 'string', pattern: '^\\d+$' };
const text = { type: 'string' };

const headerDocs: Readonly<Record<string, readonly [description: string, schema: JsonObject]>> = {
  'x-request-id': ['Request id. Include it when you contact support.', text],
  'x-svc-wallet': ['Wallet type.', { type: 'string', enum: ['unified'] }],
  'x-svc-balance-usd': ['Balance in USD.', decimal],
  'x-svc-balance-cny': ['The same balance in CNY.', decimal],
  'x-svc-readiness-score': ['Readiness score.', decimal],
  'x-svc-readiness-status': ['Overall readiness status.', text],
  'x-svc-task-id': ['Task id.', text],
  'x-svc-charge-usd': ['Charge for this request in USD.', decimal],
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
  'retry-after': ['Time to wait before the next request, in seconds.', decimal],
};

const concurrency = [
  'x-svc-concurrency-limit',
  'x-svc-concurrency-remaining',
  'x-svc-concurrency-source',
];

/** Success headers that only one endpoint sends. Specification: Endpoints. */
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

/** Creates the headers of a success response. */
export function successHeaders({ route, usesSlot, path }: EndpointDescription): JsonObject {
  const generation = usesSlot ? ['x-svc-task-id', 'x-svc-charge-usd', ...concurrency] : [];
  const submitsTask = usesSlot && !path.includes('/chat/') && !path.includes('/voices/');
  return headers(
    ['x-request-id', ...(headersByRoute[route] ?? generation)],
    [
      ...(usesSlot || route === 'POST /v1/materials' ? ['x-svc-idempotent-replay'] : []),
      ...(submitsTask ? ['location', 'retry-after'] : []),
      ...(path.endsWith('{taskId}') ? ['x-svc-task-id'] : []),
    ],
  );
}

/** Creates the headers of an error response. Concurrency headers require authentication. */
export function errorHeaders({ usesSlot }: EndpointDescription, status: string): JsonObject {
  const wait = status === '429' || status === '503' ? ['retry-after'] : [];
  const authenticated = usesSlot && status !== '401' && status !== '403';
  return headers(['x-request-id'], [...(authenticated ? concurrency : []), ...wait]);
}

function headers(required: readonly string[], optional: readonly string[]): JsonObject {
  return Object.fromEntries([
    ...required.map((name) => [name, { ...header(name), required: true }] as const),
    ...optional.map((name) => [name, header(name)] as const),
  ]);
}

function header(name: string): JsonObject {
  const [description = name, schema = text] = headerDocs[name] ?? [];
  return { description, schema };
}

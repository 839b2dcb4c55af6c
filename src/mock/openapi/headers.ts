import type { Endpoint } from '../http/endpoint.ts';
import type { Json } from './docs.ts';

const amount = { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' };
const count = { type: 'string', pattern: '^\\d+$' };
const text = { type: 'string' };

const described: Readonly<Record<string, readonly [description: string, schema: Json]>> = {
  'x-request-id': ['Id of the request; tell it to support.', text],
  'x-svc-wallet': ['Kind of wallet.', { type: 'string', enum: ['unified'] }],
  'x-svc-balance-usd': ['What the wallet holds, USD.', amount],
  'x-svc-balance-cny': ['The same money, CNY.', amount],
  'x-svc-readiness-score': ['Readiness as a number.', amount],
  'x-svc-readiness-status': ['Overall outcome.', text],
  'x-svc-task-id': ['Id of the task.', text],
  'x-svc-charge-usd': ['What the request costs, USD.', amount],
  'x-svc-concurrency-limit': ['Chat and generation requests that may be in flight.', count],
  'x-svc-concurrency-remaining': ['About how many more there may be now.', count],
  'x-svc-concurrency-source': ['The rule that set the limit, such as `tier_enterprise`.', text],
  'x-svc-idempotent-replay': [
    'There when the idempotency key was used before: nothing is charged again.',
    { type: 'string', enum: ['true'] },
  ],
  location: ['Where to ask for the task.', text],
  'retry-after': ['How long to wait before asking again, seconds.', amount],
};

const concurrency = [
  'x-svc-concurrency-limit',
  'x-svc-concurrency-remaining',
  'x-svc-concurrency-source',
];

/** The headers of successes that have their own. Specification: Endpoints. */
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

/** Of an answer that is no error. */
export function successHeaders({ route, slot, path }: Endpoint): Json {
  const own = named[route] ?? (slot ? ['x-svc-task-id', 'x-svc-charge-usd', ...concurrency] : []);
  const submits = slot && !path.includes('/chat/') && !path.includes('/voices/');
  return headers(
    ['x-request-id', ...own],
    [
      ...(slot || route === 'POST /v1/materials' ? ['x-svc-idempotent-replay'] : []),
      ...(submits ? ['location', 'retry-after'] : []),
      ...(path.endsWith('{taskId}') ? ['x-svc-task-id'] : []),
    ],
  );
}

/** Of an error. Whoever was let in learns how many more may come. */
export function errorHeaders({ slot }: Endpoint, status: string): Json {
  const wait = status === '429' || status === '503' ? ['retry-after'] : [];
  const letIn = slot && status !== '401' && status !== '403';
  return headers(['x-request-id'], [...(letIn ? concurrency : []), ...wait]);
}

function headers(always: readonly string[], sometimes: readonly string[]): Json {
  return Object.fromEntries([
    ...always.map((name) => [name, { ...header(name), required: true }] as const),
    ...sometimes.map((name) => [name, header(name)] as const),
  ]);
}

function header(name: string): Json {
  const [description = name, schema = text] = described[name] ?? [];
  return { description, schema };
}

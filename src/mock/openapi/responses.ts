import type { EndpointDescription, JsonObject } from '../http/endpoint.ts';
import { errorDetail, errorType, keyMessages } from '../http/errors.ts';
import { reference } from './schemas.ts';

/** The description of each status, and its error codes unless an operation has others. */
const statuses: Readonly<Record<string, readonly [description: string, ...codes: string[]]>> = {
  400: ['The request is invalid.', 'invalid_request_parameter'],
  401: ['The API key is missing or invalid.', 'api_key_required', 'invalid_api_key'],
  402: ['Insufficient balance for this request.', 'insufficient_balance'],
  403: ['The API key is disabled.', 'api_key_disabled'],
  404: ['The resource does not exist, or belongs to another user.', 'not_found'],
  409: ['The idempotency key was already used for a different request.', 'idempotency_conflict'],
  413: ['The request body is too large.', 'request_too_large'],
  429: ['The concurrency limit is exceeded.', 'concurrency_limit_exceeded'],
  500: ['An internal error occurred.', 'internal_error'],
  503: ['The service is temporarily unavailable.', 'service_unavailable'],
  '4XX': ['The request was rejected before it was processed.'],
};

const { missing, unknown, disabled } = keyMessages('balance');

/** The error messages of the key balance endpoint, by status and name of their example. */
const balanceMessages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  401: { token_not_provided: missing, invalid_token: unknown },
  403: { token_invalid: disabled },
};

/** Creates the error responses of an endpoint; a generic `4XX` if it has none. */
export function errorResponses(endpoint: EndpointDescription): JsonObject {
  const { errors = [] } = endpoint;
  const documented = errors.length === 0 ? ['4XX'] : errors.map(String);
  return Object.fromEntries(documented.map((status) => [status, errorResponse(endpoint, status)]));
}

function errorResponse(endpoint: EndpointDescription, status: string): JsonObject {
  const ownCodes = endpoint.errorCodes?.[Number(status)];
  const [description = 'The request was rejected.', ...codes] = statuses[status] ?? [];
  const isMissingReplay = status === '404' && endpoint.method === 'POST';
  const balance = endpoint.auth === 'balance';
  const examples = balance ? balanceExamples(status) : codeExamples(status, ownCodes ?? codes);
  return {
    description: isMissingReplay
      ? 'The resource created with this idempotency key no longer exists.'
      : description,
    headers: errorHeaders(endpoint, status),
    content: {
      'application/json': {
        schema: reference(balance ? 'KeyBalanceError' : 'Error'),
        ...(Object.keys(examples).length === 0 ? {} : { examples }),
      },
    },
  };
}

/** Creates one example per error code, named after the code. */
function codeExamples(status: string, codes: readonly string[]): JsonObject {
  return Object.fromEntries(
    codes.map((code) => {
      const summary = errorDetail(code)?.title ?? code;
      const error = { message: summary, type: errorType(Number(status)), code };
      return [code, { summary, value: { error } }];
    }),
  );
}

function balanceExamples(status: string): JsonObject {
  return Object.fromEntries(
    Object.entries(balanceMessages[status] ?? {}).map(([name, message]) => [
      name,
      { summary: message, value: { success: false, message } },
    ]),
  );
}

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
export function successHeaders({ route, usesSlot, path, status }: EndpointDescription): JsonObject {
  const submitsTask = usesSlot && status === 202;
  const taskId = submitsTask || path.includes('/voices/') ? ['x-svc-task-id'] : [];
  const generation = usesSlot ? [...taskId, 'x-svc-charge-usd', ...concurrency] : [];
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
function errorHeaders({ usesSlot }: EndpointDescription, status: string): JsonObject {
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

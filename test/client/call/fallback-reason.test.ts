import { expect, test } from 'vitest';

import { fallbackReason } from '../../../src/client/call/fallback.ts';
import { emptyMeta } from '../../../src/client/http/response-meta.ts';
import {
  AbortedError,
  APIError,
  BudgetExceededError,
  ConcurrencyLimitError,
  ConfigurationError,
  ConnectionError,
  HookError,
  RequestTimeoutError,
  ResponseValidationError,
  StreamTruncatedError,
} from '../../../src/index.ts';
import type { Outcome } from '../../../src/index.ts';

const responded = (status: number, code?: string, outcome: Outcome = 'rejected') =>
  new APIError(`${status}`, { meta: emptyMeta(status), code, outcome });
const notSent = { outcome: 'not-sent' } as const;
const noSlot = new ConcurrencyLimitError('no slot', {
  meta: emptyMeta(429),
  code: 'concurrency_limit_exceeded',
  ...notSent,
});

test.each([
  ['a 429', responded(429), 'overloaded'],
  ['a 429 for lack of a slot', responded(429, 'concurrency_limit_exceeded'), 'overloaded'],
  ['a 503', responded(503), 'overloaded'],
  ['a 404', responded(404), 'unavailable'],
  ['a 403', responded(403), 'unavailable'],
  ['a 400 with model_not_found', responded(400, 'model_not_found'), 'unavailable'],
  ['a refused connection', new ConnectionError('refused', notSent), 'unavailable'],
  ['a queue that is too long', noSlot, 'unavailable'],
  [
    'a budget that does not cover the model',
    new BudgetExceededError('budget', notSent),
    'unavailable',
  ],
  ['a 503 that may have been charged', responded(503, undefined, 'unknown'), undefined],
  ['a 429 after a lost response', responded(429, undefined, 'unknown'), undefined],
  [
    'a model_not_found after a lost response',
    responded(404, 'model_not_found', 'unknown'),
    undefined,
  ],
  ['any other 400', responded(400, 'invalid_request_parameter'), undefined],
  ['a 401', responded(401), undefined],
  ['a 402', responded(402), undefined],
  ['a 422', responded(422), undefined],
  ['a 422 with model_not_found', responded(422, 'model_not_found'), undefined],
  ['a 408', responded(408, undefined, 'unknown'), undefined],
  ['a 500', responded(500, undefined, 'unknown'), undefined],
  ['a 502', responded(502, undefined, 'unknown'), undefined],
  ['a redirect', responded(307), undefined],
  ['a 402 for the limit of the user', responded(402, 'user_limit_exceeded'), undefined],
  ['a 429 for the limit of the user', responded(429, 'user_limit_exceeded'), undefined],
  ['a 409 for a repeated attempt', responded(409, 'attempt_repeated', 'unknown'), undefined],
  ['a lost connection', new ConnectionError('reset', { outcome: 'unknown' }), undefined],
  ['a timeout before the request was sent', new RequestTimeoutError('timeout', notSent), undefined],
  ['an abort before the request was sent', new AbortedError('aborted', notSent), undefined],
  ['a hook that throws', new HookError('hook', notSent), undefined],
  ['a missing API key', new ConfigurationError('apiKey', notSent), undefined],
  ['invalid params', new ConfigurationError('messages'), undefined],
  ['a truncated stream', new StreamTruncatedError('cut', { outcome: 'unknown' }), undefined],
  [
    'an invalid response',
    new ResponseValidationError('invalid', {
      meta: emptyMeta(200),
      body: undefined,
      outcome: 'unknown',
    }),
    undefined,
  ],
  ['an error of other code', new TypeError('bug'), undefined],
])('after %s, another model is tried: %s', (_, error, reason) => {
  expect(fallbackReason(error, 'once')).toBe(reason);
  expect(fallbackReason(error, 'keyed')).toBe(reason);
});

test.each([
  ['idempotency_conflict', 'keyed', 'conflict'],
  [undefined, 'keyed', 'conflict'],
  ['idempotency_conflict', 'once', undefined],
  ['voice_in_use', 'keyed', undefined],
] as const)('after a 409 with the code %s of a %s request: %s', (code, safety, reason) => {
  expect(fallbackReason(responded(409, code), safety)).toBe(reason);
});

test('after an error that names a task, no other model is tried', () => {
  const error = responded(404);
  Object.defineProperty(error, 'task', { value: { id: 'task_1' } });
  expect(fallbackReason(error, 'keyed')).toBeUndefined();
});

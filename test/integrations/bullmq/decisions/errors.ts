import {
  AuthenticationError,
  BadRequestError,
  BudgetExceededError,
  ConcurrencyLimitError,
  ConnectionError,
  NotFoundError,
  PaymentRequiredError,
  RateLimitError,
  RequestTimeoutError,
  ResponseValidationError,
  ServerError,
  ServiceUnavailableError,
} from 'polygate';

import { emptyMeta } from '../../../../src/client/http/response-meta.ts';

export const meta = (status: number) => emptyMeta(status);
export const rejected = { outcome: 'rejected' } as const;
export const unknown = { outcome: 'unknown' } as const;
export const badRequest = new BadRequestError('bad', {
  meta: meta(400),
  code: 'invalid',
  ...rejected,
});
export const notFound = new NotFoundError('404', { meta: meta(404), ...rejected });
export const serverError = new ServerError('down', { meta: meta(500), ...unknown });
export const notImplemented = new ServerError('no', { meta: meta(501), ...unknown });
export const unavailableModel = new ServiceUnavailableError('gone', {
  meta: meta(503),
  code: 'model_not_available',
  ...rejected,
});
/** A response that is complete and invalid. */
export const invalidResponse = new ResponseValidationError('no task', {
  meta: meta(200),
  body: {},
  ...unknown,
});
/** A response that reports a charge, and whose body cannot be read. */
export const chargedResponse = new ResponseValidationError('html', {
  meta: { ...meta(200), chargeUsd: 0.3 },
  body: '<html>',
  ...unknown,
});
export const notSent = new ConnectionError('refused', { outcome: 'not-sent' });
export const reset = new ConnectionError('reset', unknown);
export const payment = new PaymentRequiredError('402', { meta: meta(402), ...rejected });
export const authentication = new AuthenticationError('401', { meta: meta(401), ...rejected });
export const budget = new BudgetExceededError('budget', { outcome: 'not-sent' } as never);
export const noSlot = new ConcurrencyLimitError('429', {
  meta: meta(429),
  retryAfterMs: 4_000,
  ...rejected,
});
/** A call whose `totalTimeout` ended while it waited for a slot. */
export const queuedTooLong = new RequestTimeoutError('queued', {
  outcome: 'not-sent',
  cause: noSlot,
});
export const rateLimit = new RateLimitError('429', {
  meta: meta(429),
  retryAfterMs: 90_000,
  ...rejected,
});

import { APIError } from './api.ts';

/** 400: the request is not valid; `param` or the message names the field. Nothing was charged. */
export class BadRequestError extends APIError {
  static override readonly className: string = 'BadRequestError';
}

/** 401: the API key is missing or unknown. */
export class AuthenticationError extends APIError {
  static override readonly className: string = 'AuthenticationError';
}

/** 402: the wallet cannot pay for this. Nothing was charged; top up, then ask again. */
export class PaymentRequiredError extends APIError {
  static override readonly className: string = 'PaymentRequiredError';
}

/** 403: the API key is disabled, invalid or not allowed to do this. */
export class PermissionDeniedError extends APIError {
  static override readonly className: string = 'PermissionDeniedError';
}

/** 404: no such model, task, material or path, or it belongs to somebody else. */
export class NotFoundError extends APIError {
  static override readonly className: string = 'NotFoundError';
}

/** 409: the request contradicts an earlier one, such as one idempotency key with two different bodies. */
export class ConflictError extends APIError {
  static override readonly className: string = 'ConflictError';
}

/** 422: the request is well formed and still cannot be carried out. */
export class UnprocessableError extends APIError {
  static override readonly className: string = 'UnprocessableError';
}

/** 429: too many requests. `retryAfterMs` says how long to wait, when the service tells. */
export class RateLimitError extends APIError {
  static override readonly className: string = 'RateLimitError';
}

/** Too many requests at once: no slot came free in time (`maxQueueTime`). Nothing was charged. */
export class ConcurrencyLimitError extends RateLimitError {
  static override readonly className: string = 'ConcurrencyLimitError';
}

/** 500 and above: the service failed. After a paid request look at `outcome`. */
export class ServerError extends APIError {
  static override readonly className: string = 'ServerError';
}

/** 503: the service is not available for now. Nothing was charged. */
export class ServiceUnavailableError extends ServerError {
  static override readonly className: string = 'ServiceUnavailableError';
}

import { reasonOf } from '../paid/reason.ts';
import type { ErrorCode } from '../wire/types/catalog/errors.ts';
import type { ResponseMeta } from '../wire/types/meta.ts';
import type { SchemaIssue } from '../wire/types/standard-schema.ts';
import { PolygateError } from './base.ts';
import type { ErrorDetails, ErrorReason } from './base.ts';

/** Details passed to the constructor of {@link APIError}. */
export interface APIErrorDetails extends ErrorDetails {
  /** Metadata parsed from the response headers. */
  meta: ResponseMeta;
  /** Machine-readable error code. */
  code?: ErrorCode | undefined;
  /** Error type, such as `invalid_request_error`. */
  type?: string | undefined;
  /** Name of the invalid field. */
  param?: string | undefined;
  /** Response body: parsed JSON, or the raw text if it is not JSON. Undefined if it could not be read. */
  body?: unknown;
  /** Delay requested by the service before the next attempt, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** The service responded with an error status, or with a redirect, which the client does not follow. */
export class APIError extends PolygateError {
  static override readonly className: string = 'APIError';

  /** HTTP status. */
  declare readonly status: number;
  /** Machine-readable error code. The known codes autocomplete; any other string is possible. */
  declare readonly code?: ErrorCode;
  /** Error type, such as `invalid_request_error`. */
  declare readonly type?: string;
  /** Name of the invalid field, if the service reports it. */
  declare readonly param?: string;
  /** Request id. Include it when you contact support. */
  declare readonly requestId?: string;
  /** Metadata parsed from the response headers. */
  declare readonly meta: ResponseMeta;
  /** Response body: parsed JSON, or the raw text if it is not JSON. Undefined if it could not be read. */
  declare readonly body: unknown;
  /** Delay requested by the service before the next attempt, in milliseconds. */
  declare readonly retryAfterMs?: number;

  constructor(message: string, details: APIErrorDetails) {
    const { status, requestId } = details.meta;
    const { reason = reasonOf(status, details.code) } = details;
    super(message, { status, requestId, ...details, reason });
  }
}

/** 400: the request is invalid. `param` or the message names the field. Nothing was charged. */
export class BadRequestError extends APIError {
  static override readonly className: string = 'BadRequestError';
}

/** 401: the API key is missing or unknown. */
export class AuthenticationError extends APIError {
  static override readonly className: string = 'AuthenticationError';
}

/**
 * 402: insufficient balance. Nothing was charged; top up the balance, then retry. A batch or a recovery throws it when a
 * 402 has paused it, after all results that it has. `cause` is then the error of the first rejected row.
 */
export class PaymentRequiredError extends APIError {
  static override readonly className: string = 'PaymentRequiredError';

  /** Only from a batch or a recovery: number of rows that were yielded as `succeeded` or `failed`. */
  declare readonly rowsDone?: number;
  /**
   * Only from a batch or a recovery: number of rows that were not yielded, because they were rejected with a 402, or
   * because this run did not reach them. They stay open. If the inputs are not an array, it counts only the rows that
   * the batch had already read.
   */
  declare readonly rowsOpen?: number;
}

/** 403: the API key is disabled or not allowed to make this request. */
export class PermissionDeniedError extends APIError {
  static override readonly className: string = 'PermissionDeniedError';
}

/** 404: the model, task, material or path does not exist, or it belongs to another user. */
export class NotFoundError extends APIError {
  static override readonly className: string = 'NotFoundError';
}

/**
 * 409: the request conflicts with an earlier one: for example, an idempotency key was reused for a different request.
 */
export class ConflictError extends APIError {
  static override readonly className: string = 'ConflictError';
}

/** 422: the request is well-formed but cannot be processed. */
export class UnprocessableError extends APIError {
  static override readonly className: string = 'UnprocessableError';
}

/** 429: rate limit exceeded. `retryAfterMs` is the delay requested by the service, if any. Nothing was charged. */
export class RateLimitError extends APIError {
  static override readonly className: string = 'RateLimitError';
}

/**
 * The concurrency limit was reached: the service rejected the request with `concurrency_limit_exceeded`, or no slot
 * became free within `maxQueueTime`. See `outcome`.
 */
export class ConcurrencyLimitError extends RateLimitError {
  static override readonly className: string = 'ConcurrencyLimitError';
}

/** 5xx: the service failed. For a paid request, `outcome` says whether it may have been charged. */
export class ServerError extends APIError {
  static override readonly className: string = 'ServerError';
}

/** 503: the service is temporarily unavailable. For a paid request, `outcome` says whether it may have been charged. */
export class ServiceUnavailableError extends ServerError {
  static override readonly className: string = 'ServiceUnavailableError';
}

type APIErrorClass = new (...args: ConstructorParameters<typeof APIError>) => APIError;

const classOf: { readonly [Reason in ErrorReason]?: APIErrorClass } = {
  invalid: BadRequestError,
  'api-key': AuthenticationError,
  balance: PaymentRequiredError,
  forbidden: PermissionDeniedError,
  'not-found': NotFoundError,
  conflict: ConflictError,
  'rate-limit': RateLimitError,
  slot: ConcurrencyLimitError,
  unavailable: ServiceUnavailableError,
  service: ServerError,
};

/** The error class for a status and error code. */
export const statusErrorClass = (status: number, code: string | undefined): APIErrorClass =>
  status === 422 ? UnprocessableError : (classOf[reasonOf(status, code)] ?? APIError);

/** Details passed to the constructor of {@link ResponseValidationError}. */
export interface ResponseValidationDetails extends ErrorDetails {
  /** Metadata parsed from the response headers. */
  meta: ResponseMeta;
  /** Response body: parsed JSON, or the raw text if it is not JSON. */
  body: unknown;
  /** Validation issues. The client's own schemas report only the first. */
  issues?: readonly SchemaIssue[] | undefined;
}

/**
 * The service responded with a success status, but the body is invalid: not JSON, too large, not the expected record, or a
 * result that is no media.
 */
export class ResponseValidationError extends PolygateError {
  static override readonly className: string = 'ResponseValidationError';
  static override readonly reason: ErrorReason = 'malformed';

  /** Metadata parsed from the response headers, including the charge and the task id if the service sent them. */
  declare readonly meta: ResponseMeta;
  /** Response body: parsed JSON, or the raw text if it is not JSON. */
  declare readonly body: unknown;
  /** `no_media` if the result of a task is empty, an HTML page, JSON, or XML other than an SVG image. */
  declare readonly code?: string;
  /** Validation issues. The client's own schemas report only the first. */
  declare readonly issues: readonly SchemaIssue[];

  constructor(message: string, details: ResponseValidationDetails) {
    super(message, { ...details, issues: details.issues ?? [] });
  }
}

import type { ErrorCode } from '../wire/types/catalog/error-codes.ts';
import type { ResponseMeta } from '../wire/types/meta.ts';
import { PolygateError } from './base.ts';
import type { ErrorDetails } from './base.ts';

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
    super(message, { status, requestId, ...details });
  }
}

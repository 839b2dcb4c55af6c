import type { ErrorCode } from '../schemas/error-codes.ts';
import type { ResponseMeta } from '../schemas/meta.ts';
import { PolygateError } from './base.ts';
import type { ErrorDetails } from './base.ts';

/** What an {@link APIError} is made of. */
export interface APIErrorDetails extends ErrorDetails {
  /** Headers of the answer, parsed. */
  meta: ResponseMeta;
  /** Machine-readable reason. */
  code?: ErrorCode | undefined;
  /** Family of the reason. */
  type?: string | undefined;
  /** The field that is wrong. */
  param?: string | undefined;
  /** The body: parsed JSON, else the text. */
  body?: unknown;
  /** How long the service asks to wait, ms. */
  retryAfterMs?: number | undefined;
}

/** The service answered, and the answer was no. Specification: Errors. */
export class APIError extends PolygateError {
  static override readonly className: string = 'APIError';

  /** HTTP status. */
  declare readonly status: number;
  /** Machine-readable reason; the documented codes autocomplete, others may come. */
  declare readonly code?: ErrorCode;
  /** Family of the reason, such as `invalid_request_error`. */
  declare readonly type?: string;
  /** The field that is wrong, when the service names it. */
  declare readonly param?: string;
  /** Id of the request; name it when you ask the service for help. */
  declare readonly requestId?: string;
  /** Headers of the answer, parsed. */
  declare readonly meta: ResponseMeta;
  /** The body: parsed JSON, else the text. */
  declare readonly body: unknown;
  /** How long the service asks to wait before the next try, ms. */
  declare readonly retryAfterMs?: number;

  constructor(message: string, details: APIErrorDetails) {
    const { status, requestId } = details.meta;
    super(message, { status, requestId, ...details });
  }
}

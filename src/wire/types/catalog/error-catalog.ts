import type { OpenString } from '../schema.ts';
import type { ErrorBody, ErrorCode, ErrorType } from './error-codes.ts';

/** Retry policy of an error code. The service does not document this record, so any field can be absent. */
export interface ErrorRetry {
  /** Whether a retry can succeed. */
  retryable?: boolean | undefined;
  /** Name of the recommended retry strategy. */
  strategy?: string | undefined;
  /** Maximum number of attempts. */
  maxAttempts?: number | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Example of an error response. The service does not document this record, so any field can be absent. */
export interface ErrorExample {
  /** Error details. */
  error?: ErrorBody | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Description of one error code. The service does not document this record, so any field can be absent. */
export interface ErrorDetail {
  /** Record type. */
  object?: OpenString<'error.detail'> | undefined;
  /** Error code. */
  code?: ErrorCode | undefined;
  /** HTTP status of responses with this code. */
  httpStatus?: number | undefined;
  /** Error type. */
  type?: ErrorType | undefined;
  /** Short human-readable title. */
  title?: string | undefined;
  /** Retry policy. */
  retry?: ErrorRetry | undefined;
  /** Example response. */
  example?: ErrorExample | undefined;
  /** Support guidance. */
  support?: string | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Catalog of all error codes. The service does not document this record, so any field can be absent. */
export interface ErrorCatalog {
  /** Record type. */
  object?: OpenString<'error.catalog'> | undefined;
  /** Error codes. */
  data?: ErrorDetail[] | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

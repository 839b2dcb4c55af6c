import type { errorCodes } from '../../codes.ts';
import type { OpenString } from '../schema.ts';

/** Error codes in the specification, and further codes that the client assumes. */
export type KnownErrorCode = keyof typeof errorCodes;

/** Machine-readable error code. The known codes autocomplete; any other string is allowed. */
export type ErrorCode = OpenString<KnownErrorCode>;

/** Error type as reported by the service. */
export type ErrorType = OpenString<
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'billing_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'api_error'
>;

/** Error details sent by the service. */
export interface ErrorBody {
  /** Human-readable message; contains only public information. */
  message: string;
  /**
   * Error type.
   * @sample invalid_request_error
   */
  type: ErrorType;
  /**
   * Machine-readable error code.
   * @sample invalid_request_parameter
   */
  code: ErrorCode;
  /** Name of the invalid field, if the service reports it. */
  param?: string | null | undefined;
}

/** Body of an error response. */
export interface ErrorEnvelope {
  /** Error details. */
  error: ErrorBody;
}

/** Body of an error response from the key balance endpoint. */
export interface KeyBalanceErrorEnvelope {
  /** Always false. */
  success: false;
  /** Error message, such as `Invalid token`. */
  message: string;
}

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

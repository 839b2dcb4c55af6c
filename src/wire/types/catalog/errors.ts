import type { OpenString } from '../schema.ts';

/** Error codes in the specification, and further codes that the client assumes. */
export type KnownErrorCode =
  // No API key was supplied.
  | 'api_key_required'
  // The API key is unknown.
  | 'invalid_api_key'
  // The API key is disabled.
  | 'api_key_disabled'
  // A required field is missing, or the voice is not visible to the caller or not compatible with the model.
  | 'invalid_request_parameter'
  // The balance is insufficient for the request.
  | 'insufficient_balance'
  // The model does not exist.
  | 'model_not_found'
  // The task does not exist or belongs to another user.
  | 'task_not_found'
  // The concurrency limit was reached.
  | 'concurrency_limit_exceeded'
  // Internal error of the service.
  | 'internal_error'
  // The service is temporarily unavailable.
  | 'service_unavailable'
  // The idempotency key is missing or invalid.
  | 'invalid_idempotency_key'
  // The url, type or name of the material, or a query parameter, is invalid.
  | 'invalid_material_request'
  // `after` was not issued by the material list endpoint.
  | 'invalid_material_cursor'
  // The material service is temporarily unavailable, or the model does not support material input.
  | 'material_channel_unavailable'
  // The idempotency key was already used for a different request.
  | 'material_idempotency_conflict'
  // The material does not exist, belongs to another user, or has expired.
  | 'material_not_found'
  // The material is not available yet, has expired, or was deleted.
  | 'material_not_available'
  // The `asset://` URI is not in the caller's library.
  | 'material_not_managed'
  // It is uncertain whether the material was created; the service reconciles this in the background.
  | 'material_create_outcome_uncertain'
  // The consent of the real person was not confirmed.
  | 'visual_verification_consent_required'
  // The media type or callback URL of a real-person material is invalid.
  | 'invalid_visual_verification_request'
  // It is uncertain whether the verification session was created; the service does not create a second one itself.
  | 'visual_verification_create_outcome_uncertain';

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
   * @example invalid_request_error
   */
  type: ErrorType;
  /**
   * Machine-readable error code.
   * @example invalid_request_parameter
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

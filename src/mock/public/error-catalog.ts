import type { ErrorDetail } from '../../wire/types/catalog/errors.ts';
import { errorType } from '../http/response/error-body.ts';

/**
 * Status and title of every documented code, and of the codes that this gateway adds. Specification:
 * Codes; assumption A9.
 */
const codes: Readonly<Record<string, readonly [status: number, title: string]>> = {
  api_key_required: [401, 'The request has no API key'],
  invalid_api_key: [401, 'The API key is invalid'],
  api_key_disabled: [403, 'The API key is disabled'],
  insufficient_balance: [402, 'Insufficient balance for this request'],
  invalid_request_parameter: [400, 'A field is missing or invalid'],
  invalid_idempotency_key: [400, 'The idempotency key is missing or invalid'],
  idempotency_conflict: [409, 'The idempotency key was already used for a different request'],
  model_not_found: [404, 'The model does not exist; status 400 if the request body names it'],
  task_not_found: [404, 'The task does not exist'],
  not_found: [404, 'The path or error code does not exist'],
  method_not_allowed: [405, 'The path does not support this method'],
  request_too_large: [413, 'The request body is too large'],
  concurrency_limit_exceeded: [429, 'Too many requests are in flight'],
  internal_error: [500, 'An internal error occurred'],
  not_implemented: [501, 'The reference gateway does not implement this endpoint'],
  service_unavailable: [503, 'The service is temporarily unavailable'],
  invalid_material_request: [400, 'A field or query parameter of a material request is invalid'],
  invalid_material_cursor: [400, 'The cursor was not issued by the list endpoint'],
  material_channel_unavailable: [
    503,
    'The material service is unavailable, or the model does not support materials',
  ],
  material_idempotency_conflict: [
    409,
    'The Idempotency-Key was already used for a different request',
  ],
  material_not_found: [404, 'The material does not exist'],
  material_not_available: [400, 'The material is not available, has expired or was deleted'],
  material_not_managed: [400, 'The asset:// URI is not in the material library'],
  visual_verification_consent_required: [400, 'The consent of the real person is not confirmed'],
  invalid_visual_verification_request: [
    400,
    'The type or callback URL of a real-person material is invalid',
  ],
  visual_verification_create_outcome_uncertain: [
    503,
    'It is unknown whether the verification session was created',
  ],
  material_create_outcome_uncertain: [503, 'It is unknown whether the material was created'],
  result_not_found: [404, 'The result file does not exist'],
  result_expired: [410, 'The link to the result has expired'],
};

/** Returns the details of all codes. Assumption A16. */
export function errorDetails(): ErrorDetail[] {
  return Object.keys(codes)
    .map(errorDetail)
    .filter((detail) => detail !== undefined);
}

/** Returns the details of one code: retry policy, example and support guidance. Assumption A16. */
export function errorDetail(code: string): ErrorDetail | undefined {
  const [status, title] = Object.hasOwn(codes, code) ? (codes[code] ?? []) : [];
  if (status === undefined || title === undefined) return undefined;
  const type = errorType(status);
  return {
    object: 'error.detail',
    code,
    httpStatus: status,
    type,
    title,
    retry: retryPolicy(code, status),
    example: { error: { message: title, type, code } },
    support: 'Contact support with the x-request-id of the response',
  };
}

function retryPolicy(code: string, status: number): NonNullable<ErrorDetail['retry']> {
  if (code.endsWith('_outcome_uncertain')) {
    return { retryable: true, strategy: 'same_idempotency_key', maxAttempts: 5 };
  }
  const isPermanent = (status < 500 && status !== 429) || status === 501;
  if (isPermanent) return { retryable: false, strategy: 'none', maxAttempts: 1 };
  return { retryable: true, strategy: 'exponential_backoff', maxAttempts: 5 };
}

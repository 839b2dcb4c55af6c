import type { ErrorDetail } from '../../schemas/error-catalog.ts';
import { errorType } from '../http/response/error-body.ts';

/**
 * Status and meaning of every code that this gateway answers. Specification: Codes; assumption A9.
 */
const codes: Readonly<Record<string, readonly [status: number, title: string]>> = {
  api_key_required: [401, 'No API key was sent'],
  invalid_api_key: [401, 'The API key is not known'],
  api_key_disabled: [403, 'The API key is disabled'],
  insufficient_balance: [402, 'The wallet does not cover the request'],
  invalid_request_parameter: [400, 'A field is missing or wrong'],
  invalid_idempotency_key: [400, 'The idempotency key is missing or wrong'],
  idempotency_conflict: [409, 'The idempotency key was used for another request'],
  model_not_found: [404, 'The model is not known; in a request that names it, 400'],
  task_not_found: [404, 'The task is not known'],
  not_found: [404, 'The path or code is not known'],
  method_not_allowed: [405, 'The path does not take this method'],
  request_too_large: [413, 'The body is too long'],
  concurrency_limit_exceeded: [429, 'Too many requests run at once'],
  internal_error: [500, 'The service failed'],
  not_implemented: [501, 'This gateway does not do that'],
  service_unavailable: [503, 'The service is unavailable for the moment'],
  invalid_material_request: [400, 'A field or query parameter of a material is wrong'],
  invalid_material_cursor: [400, 'The cursor was not issued by the list'],
  material_channel_unavailable: [503, 'Materials are unavailable, or the model takes none'],
  material_idempotency_conflict: [409, 'The key was used for another material'],
  material_not_found: [404, 'The material is not known'],
  material_not_available: [400, 'The material is not available, expired or deleted'],
  material_not_managed: [400, 'The URI is not in the material library'],
  visual_verification_consent_required: [400, 'The consent of the person is not confirmed'],
  invalid_visual_verification_request: [400, 'The type or callback URL is wrong'],
  visual_verification_create_outcome_uncertain: [503, 'It is not known whether verification began'],
  material_create_outcome_uncertain: [503, 'It is not known whether the material was created'],
  result_not_found: [404, 'The result file is not known'],
  result_expired: [410, 'The link to the result has expired'],
};

/** Every detail. Assumption A16. */
export function errorDetails(): ErrorDetail[] {
  return Object.keys(codes)
    .map(errorDetail)
    .filter((detail) => detail !== undefined);
}

/** One code with its retry policy, an example and advice. Assumption A16. */
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
    support: 'Tell support the x-request-id of the answer',
  };
}

function retryPolicy(code: string, status: number): NonNullable<ErrorDetail['retry']> {
  if (code.endsWith('_outcome_uncertain')) {
    return { retryable: true, strategy: 'same_idempotency_key', maxAttempts: 5 };
  }
  if (status !== 429 && status < 500) return { retryable: false, strategy: 'none', maxAttempts: 1 };
  return { retryable: true, strategy: 'exponential_backoff', maxAttempts: 5 };
}

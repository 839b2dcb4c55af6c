import { codeIs } from '../../wire/codes.ts';
import type { ErrorDetail } from '../../wire/types/catalog/errors.ts';
import type { MockAssumptions } from '../options.ts';
import type { Auth } from './endpoint.ts';
import { insufficientBalanceMessage } from './response.ts';

const defaultMessages = {
  missing: 'An API key is required: send it as `Authorization: Bearer sk-…`',
  unknown: 'The API key is invalid',
  disabled: 'The API key is disabled',
};

const balanceMessages = {
  missing: 'Token not provided',
  unknown: 'Invalid token',
  disabled: 'Token invalid',
};

/** What the error of a status says: type, usual code, and message if it has only a status. Specification: Errors; assumption A9. */
const statuses: Readonly<Record<number, readonly [type: string, code?: string, message?: string]>> =
  {
    401: ['authentication_error', 'invalid_api_key'],
    402: ['billing_error', 'insufficient_balance', insufficientBalanceMessage],
    403: ['permission_error', 'api_key_disabled'],
    404: ['not_found_error', 'not_found'],
    409: ['invalid_request_error', 'idempotency_conflict'],
    410: ['not_found_error'],
    429: [
      'rate_limit_error',
      'concurrency_limit_exceeded',
      'The concurrency limit has been reached. Retry when another request has finished.',
    ],
    503: ['api_error', 'service_unavailable', 'The service is temporarily unavailable'],
  };

/** Returns the `type` of an error, by status. */
export const errorType = (status: number): string =>
  statuses[status]?.[0] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');

/** Returns the `code` of an injected error that has only a status. */
export const errorCode = (status: number): string =>
  statuses[status]?.[1] ?? (status >= 500 ? 'internal_error' : 'invalid_request_parameter');

/** Returns the `message` of an injected error that has only a status. */
export function errorMessage(status: number, auth: Auth | undefined): string {
  const { unknown, disabled } = keyMessages(auth);
  if (status === 401) return unknown;
  if (status === 403) return disabled;
  return (
    statuses[status]?.[2] ?? (status >= 500 ? 'Internal server error' : 'The request is invalid')
  );
}

/** Returns the error messages about API keys that an endpoint uses. Specification: Errors. */
export function keyMessages(auth: Auth | undefined): typeof defaultMessages {
  return auth === 'balance' ? balanceMessages : defaultMessages;
}

/** An error body and its content type. */
export interface ErrorBody {
  type: string;
  text: string;
}

/** Creates an error body in the form that A9 selects. */
export function errorBody(
  status: number,
  code: string,
  message: string,
  form: MockAssumptions['A9'],
): ErrorBody {
  if (form === 'html') {
    return {
      type: 'text/html; charset=utf-8',
      text: `<html><body><h1>${status}</h1></body></html>`,
    };
  }
  const type = 'application/json';
  switch (form) {
    case 'string':
      return { type, text: JSON.stringify({ error: message }) };
    case 'flat':
      return { type, text: JSON.stringify({ code, message, data: null }) };
    case 'detail':
      return { type, text: JSON.stringify({ detail: message }) };
    case 'success':
      return { type, text: JSON.stringify({ success: false, message }) };
    case 'envelope':
      return { type, text: JSON.stringify({ error: { message, type: errorType(status), code } }) };
  }
}

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
  if (codeIs(code, 'uncertain')) {
    return { retryable: true, strategy: 'same_idempotency_key', maxAttempts: 5 };
  }
  const isPermanent = (status < 500 && status !== 429) || status === 501;
  if (isPermanent) return { retryable: false, strategy: 'none', maxAttempts: 1 };
  return { retryable: true, strategy: 'exponential_backoff', maxAttempts: 5 };
}

import { keyMessages } from '../http/auth.ts';
import type { EndpointDescription } from '../http/endpoint-description.ts';
import { errorType } from '../http/response/error-body.ts';
import { errorDetail } from '../public/error-catalog.ts';
import type { JsonObject, OperationDocs } from './docs.ts';
import { errorHeaders } from './headers.ts';
import { reference } from './schemas.ts';

/** The description of each status, and its error codes unless an operation has others. */
const statuses: Readonly<Record<string, readonly [description: string, ...codes: string[]]>> = {
  400: ['The request is invalid.', 'invalid_request_parameter'],
  401: ['The API key is missing or invalid.', 'api_key_required', 'invalid_api_key'],
  402: ['Insufficient balance for this request.', 'insufficient_balance'],
  403: ['The API key is disabled.', 'api_key_disabled'],
  404: ['The resource does not exist, or belongs to another user.', 'not_found'],
  409: ['The idempotency key was already used for a different request.', 'idempotency_conflict'],
  413: ['The request body is too large.', 'request_too_large'],
  429: ['The concurrency limit is exceeded.', 'concurrency_limit_exceeded'],
  500: ['An internal error occurred.', 'internal_error'],
  503: ['The service is temporarily unavailable.', 'service_unavailable'],
  '4XX': ['The request was rejected before it was processed.'],
};

const { missing, unknown, disabled } = keyMessages('balance');

/** The error messages of the key balance endpoint, by status. */
const balanceMessages: Readonly<Record<string, readonly string[]>> = {
  401: [missing, unknown],
  403: [disabled],
};

/** Creates the error responses of an endpoint; a generic `4XX` if it has none. */
export function errorResponses(endpoint: EndpointDescription, docs: OperationDocs): JsonObject {
  const { errors = [] } = endpoint;
  const documented = errors.length === 0 ? ['4XX'] : errors.map(String);
  return Object.fromEntries(
    documented.map((status) => {
      return [status, errorResponse(endpoint, status, docs.errorCodes?.[Number(status)])];
    }),
  );
}

function errorResponse(
  endpoint: EndpointDescription,
  status: string,
  ownCodes?: readonly string[],
): JsonObject {
  const [description = 'The request was rejected.', ...codes] = statuses[status] ?? [];
  const isMissingReplay = status === '404' && endpoint.method === 'POST';
  const balance = endpoint.auth === 'balance';
  const examples = balance ? balanceExamples(status) : codeExamples(status, ownCodes ?? codes);
  return {
    description: isMissingReplay
      ? 'The resource created with this idempotency key no longer exists.'
      : description,
    headers: errorHeaders(endpoint, status),
    content: {
      'application/json': {
        schema: reference(balance ? 'KeyBalanceError' : 'Error'),
        ...(Object.keys(examples).length === 0 ? {} : { examples }),
      },
    },
  };
}

/** Creates one example per error code, named after the code. */
function codeExamples(status: string, codes: readonly string[]): JsonObject {
  return Object.fromEntries(
    codes.map((code) => {
      const summary = errorDetail(code)?.title ?? code;
      const error = { message: summary, type: errorType(Number(status)), code };
      return [code, { summary, value: { error } }];
    }),
  );
}

function balanceExamples(status: string): JsonObject {
  return Object.fromEntries(
    (balanceMessages[status] ?? []).map((message) => [
      message.toLowerCase().replaceAll(' ', '_'),
      { summary: message, value: { success: false, message } },
    ]),
  );
}

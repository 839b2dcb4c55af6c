import type { Endpoint } from '../http/endpoint.ts';
import { errorType } from '../http/response/envelope.ts';
import { errorDetail } from '../public/error-catalog.ts';
import { errorHeaders } from './headers.ts';
import type { Json, OperationDocs } from './docs.ts';
import { reference } from './schemas.ts';

/** What a status means, and the codes that come with it unless a page names others. */
const usual: Readonly<Record<string, readonly [meaning: string, ...codes: string[]]>> = {
  400: ['The request is not valid.', 'invalid_request_parameter'],
  401: ['The key is missing or unknown.', 'api_key_required', 'invalid_api_key'],
  402: ['The wallet does not cover the request.', 'insufficient_balance'],
  403: ['The key is disabled.', 'api_key_disabled'],
  404: ['There is no such thing, or it is not yours.', 'not_found'],
  409: ['The idempotency key was used for another request.', 'idempotency_conflict'],
  413: ['The body is too long.', 'request_too_large'],
  429: ['Too many requests run at once.', 'concurrency_limit_exceeded'],
  500: ['The service failed.', 'internal_error'],
  503: ['The service is unavailable for the moment.', 'service_unavailable'],
  '4XX': ['The request was refused before it was looked at.'],
};

const balanceMessages: Readonly<Record<string, readonly string[]>> = {
  401: ['Token not provided', 'Invalid token'],
  403: ['Token invalid'],
};

/** Every error of an endpoint. Who has none of its own may still be refused, as anybody may. */
export function errorResponses(endpoint: Endpoint, notes: OperationDocs): Json {
  const { errors = [] } = endpoint;
  const statuses = errors.length === 0 ? ['4XX'] : errors.map(String);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorResponse(endpoint, status, notes.errorCodes?.[Number(status)]),
    ]),
  );
}

function errorResponse(endpoint: Endpoint, status: string, ownCodes?: readonly string[]): Json {
  const [meaning = 'The request was refused.', ...codes] = usual[status] ?? [];
  const gone = status === '404' && endpoint.method === 'POST';
  const balance = endpoint.auth === 'balance';
  const examples = balance ? balanceExamples(status) : codeExamples(status, ownCodes ?? codes);
  return {
    description: gone ? 'What this idempotency key led to is gone.' : meaning,
    headers: errorHeaders(endpoint, status),
    content: {
      'application/json': {
        schema: reference(balance ? 'KeyBalanceError' : 'Error'),
        ...(Object.keys(examples).length === 0 ? {} : { examples }),
      },
    },
  };
}

/** An example for each code; its name is the code. */
function codeExamples(status: string, codes: readonly string[]): Json {
  return Object.fromEntries(
    codes.map((code) => {
      const summary = errorDetail(code)?.title ?? code;
      const error = { message: summary, type: errorType(Number(status)), code };
      return [code, { summary, value: { error } }];
    }),
  );
}

function balanceExamples(status: string): Json {
  return Object.fromEntries(
    (balanceMessages[status] ?? []).map((message) => [
      message.toLowerCase().replaceAll(' ', '_'),
      { summary: message, value: { success: false, message } },
    ]),
  );
}

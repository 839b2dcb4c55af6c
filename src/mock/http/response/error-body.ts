import type { MockAssumptions } from '../../assumptions.ts';
import { keyMessages } from '../auth.ts';
import type { Auth } from '../endpoint-description.ts';
import { insufficientBalanceMessage } from './gateway-error.ts';

/** Returns the `type` of an error, by status. Specification: Errors; assumption A9. */
export function errorType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
      return 'billing_error';
    case 403:
      return 'permission_error';
    case 404:
    case 410:
      return 'not_found_error';
    case 429:
      return 'rate_limit_error';
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}

/** Returns the `code` of an injected error that has only a status. */
export function errorCode(status: number): string {
  switch (status) {
    case 401:
      return 'invalid_api_key';
    case 402:
      return 'insufficient_balance';
    case 403:
      return 'api_key_disabled';
    case 404:
      return 'not_found';
    case 409:
      return 'idempotency_conflict';
    case 429:
      return 'concurrency_limit_exceeded';
    case 503:
      return 'service_unavailable';
    default:
      return status >= 500 ? 'internal_error' : 'invalid_request_parameter';
  }
}

/** Returns the `message` of an injected error that has only a status. */
export function errorMessage(status: number, auth: Auth | undefined): string {
  const { unknown, disabled } = keyMessages(auth);
  switch (status) {
    case 401:
      return unknown;
    case 403:
      return disabled;
    case 402:
      return insufficientBalanceMessage;
    case 429:
      return 'The concurrency limit has been reached. Retry when another request has finished.';
    case 503:
      return 'The service is temporarily unavailable';
    default:
      return status >= 500 ? 'Internal server error' : 'The request is invalid';
  }
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

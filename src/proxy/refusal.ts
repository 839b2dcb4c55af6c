/** Why a request is not passed on, or why its answer is not. Its message is for the caller and holds nothing secret. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The answer that a refusal makes. */
export function refuse({ status, code, message }: Refusal): Response {
  return errorResponse(status, { message, type: errorType(status), code });
}

/** An error as the gateway itself would answer it, so that a client reads both alike. Specification: Errors. */
export function errorResponse(
  status: number,
  error: Readonly<Record<string, string | undefined>>,
  headers = new Headers(),
): Response {
  headers.set('content-type', 'application/json');
  return new Response(JSON.stringify({ error }), { status, headers });
}

/** The error type that goes with a status. Specification: Errors; assumption A9. */
export function errorType(status: number): string {
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

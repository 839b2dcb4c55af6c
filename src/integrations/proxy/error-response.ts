/** Fields of an error body. Those that are undefined are left out. */
type ErrorFields = Readonly<Record<string, string | number | undefined>>;

/** An error that the caller may see: its message contains no secrets. */
export class ProxyError extends Error {
  readonly status: number;
  readonly code: string;
  /** More fields of the error body. */
  readonly details: ErrorFields;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: Partial<Pick<ProxyError, 'details' | 'headers'>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = more.details ?? {};
    this.headers = more.headers ?? {};
  }
}

/**
 * Creates an error response in the gateway's own format, so that a client handles both alike. Specification: Errors.
 */
export function errorResponse(
  status: number,
  error: ErrorFields,
  headers = new Headers(),
): Response {
  headers.set('content-type', 'application/json');
  return new Response(JSON.stringify({ error }), { status, headers });
}

/** Returns the error type for a status. Specification: Errors; assumption A9. */
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

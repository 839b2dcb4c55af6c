/** A documented error. Throwing it ends the request with an error response. */
export class GatewayError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    this.status = status;
    this.code = code;
    this.message = message;
    this.headers = headers;
  }
}

/** Creates a 400 with the documented code for invalid parameters. */
export function invalidParameter(message: string): GatewayError {
  return new GatewayError(400, 'invalid_request_parameter', message);
}

/** Creates a 404 for a route that the gateway does not serve. */
export function unknownEndpoint(route: string): GatewayError {
  return new GatewayError(404, 'not_found', `There is no endpoint ${route}`);
}

/** Creates a 409 for a generation key that was reused with a different body. */
export function idempotencyConflict(): GatewayError {
  const message = 'This idempotency key was already used for a different request';
  return new GatewayError(409, 'idempotency_conflict', message);
}

/** The message of every 402. */
export const insufficientBalanceMessage =
  'Insufficient balance for this request. Top up the balance, then retry.';

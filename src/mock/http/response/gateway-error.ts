/** A documented error. Whatever throws it ends the request with an error response. */
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

/** A 400 with the documented code for invalid parameters. */
export function invalidParameter(message: string): GatewayError {
  return new GatewayError(400, 'invalid_request_parameter', message);
}

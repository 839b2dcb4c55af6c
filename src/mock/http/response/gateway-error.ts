/** A documented error, thrown by whoever finds the reason for it. It is answered, never printed. */
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

/** 400 with the code that the specification gives for bad parameters. */
export function invalidParameter(message: string): GatewayError {
  return new GatewayError(400, 'invalid_request_parameter', message);
}

/** A response before it is encoded to bytes, so that faults can be applied to it. */
export interface MockResponse {
  status: number;
  headers: Record<string, string>;
  /** The body as chunks: usually one; in an event stream, one per event. */
  frames: readonly (string | Uint8Array<ArrayBuffer>)[];
  /** Whether the body is an event stream. */
  stream: boolean;
}

/** Creates a JSON response. */
export function json(
  status: number,
  record: unknown,
  headers: Record<string, string> = {},
): MockResponse {
  return bodyResponse(status, 'application/json', JSON.stringify(record), headers);
}

/** Creates a response with a body of any content type. */
export function bodyResponse(
  status: number,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): MockResponse {
  return { status, headers: { 'content-type': type, ...headers }, frames: [body], stream: false };
}

/** Creates a stream of server-sent events. */
export function events(
  frames: readonly string[],
  headers: Record<string, string> = {},
): MockResponse {
  const type = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  return { status: 200, headers: { ...type, ...headers }, frames, stream: true };
}

/** Formats an event of a stream. One `data` line is enough, because the JSON has no line breaks. */
export function dataEvent(record: unknown): string {
  return `data: ${JSON.stringify(record)}\n\n`;
}

/** A comment that keeps the connection alive. Clients ignore it. */
export const keepAliveComment = ': keep-alive\n\n';

/** The last event of a chat stream. */
export const doneEvent = 'data: [DONE]\n\n';

/** Whether a frame is an event with data, not a comment. */
export function isDataEvent(frame: string | Uint8Array): boolean {
  return typeof frame === 'string' && frame.startsWith('data:');
}

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

/** The message of every 402. */
export const insufficientBalanceMessage =
  'Insufficient balance for this request. Top up the balance, then retry.';

/** The result of a request. */
export interface HandledRequest {
  response: MockResponse;
  /** Frees the slot of the request. */
  release: () => void;
  /** The charge in USD; for a replay, that of the original request. */
  chargeUsd: number | undefined;
  /** Whether it is an idempotent replay. */
  replay: boolean;
}

/** Creates the error from a message about invalid input. */
export type ToError = (message: string) => GatewayError;

/** Concatenates chunks of bytes. */
export function concatenate(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(byteLength(chunks));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Returns the length of all chunks together. */
export function byteLength(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

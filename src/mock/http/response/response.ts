/** An answer before it is bytes, so that faults can be worked into it. */
export interface MockResponse {
  status: number;
  headers: Record<string, string>;
  /**
   * The body in the pieces in which it is sent: one for most answers, an event each for streams.
   */
  frames: readonly (string | Uint8Array<ArrayBuffer>)[];
  /** Whether the frames are events of a stream. */
  stream: boolean;
}

/** JSON. */
export function json(
  status: number,
  record: unknown,
  headers: Record<string, string> = {},
): MockResponse {
  return text(status, 'application/json', JSON.stringify(record), headers);
}

/** A body of any other kind. */
export function text(
  status: number,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): MockResponse {
  return { status, headers: { 'content-type': type, ...headers }, frames: [body], stream: false };
}

/** A stream of server-sent events. */
export function events(
  frames: readonly string[],
  headers: Record<string, string> = {},
): MockResponse {
  const type = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  return { status: 200, headers: { ...type, ...headers }, frames, stream: true };
}

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

/** One event of a stream. JSON has no line breaks, so a single `data` line carries it. */
export function dataEvent(record: unknown): string {
  return `data: ${JSON.stringify(record)}\n\n`;
}

/** A comment: keeps the connection alive and means nothing. */
export const keepAlive = ': keep-alive\n\n';

/** The end of a chat stream. */
export const done = 'data: [DONE]\n\n';

/** Whether a frame is an event with data, not a comment. */
export function isDataEvent(frame: string | Uint8Array): boolean {
  return typeof frame === 'string' && frame.startsWith('data:');
}

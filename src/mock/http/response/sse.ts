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

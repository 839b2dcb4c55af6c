import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import { isChromium } from '../config/environment.ts';

/** Creating a decoder is expensive, and most bodies arrive in one piece, which needs no state. */
const sharedDecoder = new TextDecoder();

/**
 * Returns a reader for the body of a response.
 *
 * In Chromium, a response that is not cached and whose body a reader reads to its end counts as canceled, in the
 * network panel as well as for extensions and service workers. A body that was split for a copy is read by the browser
 * itself and does not. The copy is dropped at once, so that nothing is stored twice. The disadvantage: Chromium no
 * longer slows down the connection if the body is read slowly.
 */
export function readerOf(
  response: Response,
  body: ReadableStream<Uint8Array>,
): ReadableStreamDefaultReader<Uint8Array> {
  if (isChromium()) {
    response
      .clone()
      .body?.cancel()
      .catch(() => undefined);
  }
  // Splitting replaces the body.
  return (response.body ?? body).getReader();
}

/** Whether a response is an event stream, judging by its content type. */
export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

/** A body exceeded its size limit. */
export class BodyTooLargeError extends Error {}

/**
 * Reads a body as text, up to `limit` bytes. Counts the bytes itself, because `content-length` can be wrong.
 *
 * @throws {BodyTooLargeError} as soon as the limit is exceeded; the rest is not read.
 */
export async function readBodyText(
  response: Response,
  limit: number,
  signal: AbortSignal,
): Promise<string> {
  if (response.body === null) return '';
  const reader = readerOf(response, response.body);
  const cancel = () => void reader.cancel().catch(() => undefined);
  const stopListening = whenAborted(signal, cancel);
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return decode(pieces);
      pieces.push(value);
      size += value.byteLength;
      if (size > limit) {
        cancel();
        throw new BodyTooLargeError();
      }
    }
  } finally {
    stopListening();
  }
}

function decode(pieces: readonly Uint8Array[]): string {
  if (pieces.length <= 1) return sharedDecoder.decode(pieces[0]);
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
}

/** Reads the rest of a body for up to 100 ms, so that the connection can be reused, and then cancels it. */
export function finishBody(reader: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): void {
  const stopTimer = startTimer(clock, 100, () => void reader.cancel().catch(stopTimer));
  const read = (): Promise<void> => reader.read().then(({ done }) => (done ? stopTimer() : read()));
  read().catch(stopTimer);
}

/** A copy of the response whose body errors as soon as the signal aborts. */
export function withAbortableBody(response: Response, signal: AbortSignal | undefined): Response {
  const { body } = response;
  if (body === null || signal === undefined) return response;
  return withBody(response, body.pipeThrough(new TransformStream(), { signal }));
}

/** A copy of the response with another body. */
export function withBody(
  response: Response,
  body: ReadableStream<Uint8Array> | string | null,
): Response {
  return createResponse(body, response, response.url);
}

/** Creates a response with a `url`, which the constructor of `Response` cannot set. */
export function createResponse(
  body: ReadableStream<Uint8Array> | string | null,
  init: ResponseInit,
  url: string,
): Response {
  return Object.defineProperty(new Response(body, init), 'url', { value: url });
}

import { whenAborted } from '../config/clock.ts';

/** Creating a decoder is expensive, and most bodies arrive in one piece, which needs no state. */
const sharedDecoder = new TextDecoder();

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
  const reader = response.body.getReader();
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

/** A copy of the response with its body piped through `transformer`. The body errors as soon as the signal aborts. */
export function withAbortableBody(
  response: Response,
  signal: AbortSignal | undefined,
  transformer?: Transformer<Uint8Array, Uint8Array>,
): Response {
  const { body } = response;
  if (body === null || !(signal || transformer)) return response;
  const through = new TransformStream(transformer);
  return withBody(response, body.pipeThrough(through, signal && { signal }));
}

/** A copy of the response with another body. */
export function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { url } = response;
  return Object.defineProperty(new Response(body, response), 'url', { value: url });
}

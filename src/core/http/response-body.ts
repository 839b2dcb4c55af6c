import { whenAborted } from '../config/clock.ts';

const sharedDecoder = new TextDecoder();

/** An answer grew beyond its limit. */
export class BodyTooLargeError extends Error {}

/**
 * Reads a body as text, at most `limit` bytes of it; what the headers say of its length is not believed.
 * @throws {BodyTooLargeError} as soon as it is longer; the rest is not read.
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

/** A decoder is dear, and most answers come in one piece. */
function decode(pieces: readonly Uint8Array[]): string {
  if (pieces.length <= 1) return sharedDecoder.decode(pieces[0]);
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
}

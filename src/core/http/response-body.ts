import { whenAborted } from '../config/clock.ts';

const wholes = new TextDecoder();

/** An answer grew beyond its limit. */
export class TooLarge extends Error {}

/**
 * Reads a body as text, at most `limit` bytes of it; what the headers say of its length is not believed.
 * @throws {TooLarge} as soon as it is longer; the rest is not read.
 */
export async function readText(
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
      if (done) return decoded(pieces);
      pieces.push(value);
      size += value.byteLength;
      if (size > limit) {
        cancel();
        throw new TooLarge();
      }
    }
  } finally {
    stopListening();
  }
}

/** A decoder is dear, and most answers come in one piece. */
function decoded(pieces: readonly Uint8Array[]): string {
  if (pieces.length <= 1) return wholes.decode(pieces[0]);
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
}

import { collected, RecordBuffer } from './fields.ts';
import type { Reducer } from './fields.ts';
import { text, TextBuffer } from './text-buffer.ts';

/** Base64 that grows in fragments. Its value is one encoding. */
class Base64Buffer extends TextBuffer {
  override get value(): unknown {
    const pieces = super.value;
    return typeof pieces === 'string' ? joinBase64(pieces) : pieces;
  }
}

const audioReducers = new Map<string, Reducer>([
  ['data', collected(() => new Base64Buffer())],
  ['transcript', text],
]);

/** The reducer of the audio of a message. Its data and its transcript are concatenated. */
export const audio = collected(() => new RecordBuffer(audioReducers));

/**
 * Base64 that was received in pieces, as one encoding. Some services split one encoding anywhere; others encode every
 * piece on its own, so that padding, which no decoder accepts in the middle, ends a piece.
 */
function joinBase64(pieces: string): string {
  if (!/=[^=]/.test(pieces)) return pieces;
  try {
    return btoa(pieces.replace(/[^=]*=*/g, (encoding) => atob(encoding)));
  } catch {
    // Not base64.
    return pieces;
  }
}

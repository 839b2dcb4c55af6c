import { keepField } from './keep-field.ts';

/** The audio of a message, which grows in fragments. Its data and its transcript are concatenated. */
export class AudioBuffer {
  readonly #fields: Record<string, unknown> = {};

  add(delta: Readonly<Record<string, unknown>>): void {
    for (const name in delta) {
      const value = delta[name];
      const earlier = this.#fields[name];
      const isText = typeof value === 'string' && typeof earlier === 'string';
      const isJoined = isText && /^(data|transcript)$/.test(name);
      keepField(this.#fields, name, isJoined ? earlier + value : value);
    }
  }

  /** A copy of the audio received so far, with data that is one encoding. */
  get value(): Record<string, unknown> {
    const copy = { ...this.#fields };
    if (typeof copy.data === 'string') copy.data = joinBase64(copy.data);
    return copy;
  }
}

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

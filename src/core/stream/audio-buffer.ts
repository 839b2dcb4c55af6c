import { keepField } from './keep-field.ts';
import { TextBuffer } from './text-buffer.ts';

/** The audio of one message. Its data and its transcript are received in pieces. */
export class AudioBuffer {
  readonly #fields: Record<string, unknown> = {};
  #data: TextBuffer | undefined;
  #transcript: TextBuffer | undefined;

  add(delta: Readonly<Record<string, unknown>>): void {
    for (const name in delta) {
      const value = delta[name];
      if (typeof value === 'string' && name === 'data')
        (this.#data ??= new TextBuffer()).add(value);
      else if (typeof value === 'string' && name === 'transcript')
        (this.#transcript ??= new TextBuffer()).add(value);
      else keepField(this.#fields, name, value);
    }
  }

  /** A new object with everything received so far. */
  get value(): Record<string, unknown> {
    const value = { ...this.#fields };
    if (this.#data !== undefined) value.data = joinBase64(this.#data.toString());
    if (this.#transcript !== undefined) value.transcript = this.#transcript.toString();
    return value;
  }
}

/**
 * Base64 that was received in pieces, as one encoding. Some services split one encoding anywhere; others encode every
 * piece on its own, so that padding, which no decoder accepts in the middle, ends a piece.
 */
function joinBase64(pieces: string): string {
  const encodings = pieces.match(/[^=]+=*/g) ?? [];
  if (encodings.length < 2) return pieces;
  try {
    return btoa(encodings.map((encoding) => atob(encoding)).join(''));
  } catch {
    // Not base64.
    return pieces;
  }
}

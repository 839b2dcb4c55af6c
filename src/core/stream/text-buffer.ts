import { isRecord } from '../../schemas/type-guards.ts';

/** Number of characters that are buffered before they are joined. */
const joinThreshold = 16_384;

/**
 * A text that grows in small fragments and may never be read. Fragments are joined in batches, because a string built
 * with `+=` keeps every fragment alive until it is read, which means more work for the garbage collector.
 *
 * Some services send content parts instead of text. Text parts are then joined with the text around them.
 */
export class TextBuffer {
  /** The parts before the text; undefined as long as only text has been received. */
  #parts: unknown[] | undefined;
  #joined = '';
  #fragments: string[] = [];
  #length = 0;

  add(added: string | readonly unknown[]): void {
    if (typeof added === 'string') {
      this.#fragments.push(added);
      this.#length += added.length;
      if (this.#length >= joinThreshold) this.#join();
      return;
    }
    for (const part of added) {
      this.#parts ??= [];
      const text = plainTextOf(part);
      if (text !== undefined) this.add(text);
      else {
        this.#parts.push(...this.#textParts(), part);
        this.#joined = '';
      }
    }
  }

  /** The text, or an array if parts have been received. */
  get value(): unknown {
    return this.#parts === undefined ? this.#join() : [...this.#parts, ...this.#textParts()];
  }

  #textParts(): object[] {
    const text = this.#join();
    return text === '' ? [] : [{ type: 'text', text }];
  }

  #join(): string {
    this.#joined += this.#fragments.join('');
    this.#fragments = [];
    this.#length = 0;
    return this.#joined;
  }
}

/** The text of a part that is nothing but text. */
function plainTextOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part;
  if (!isRecord(part) || part.type !== 'text' || typeof part.text !== 'string') return undefined;
  return Object.keys(part).length === 2 ? part.text : undefined;
}

import { isRecord } from '../../wire/types/type-guards.ts';
import { collected, FieldBuffer } from './fields.ts';

/**
 * A text that grows in small fragments and may never be read. Fragments are joined in batches of 256, because
 * a string built with `+=` keeps every fragment alive until it is read, which means more work for the garbage collector.
 *
 * Some services send content parts instead of text. Text parts are then joined with the text around them.
 */
export class TextBuffer extends FieldBuffer {
  /** The parts before the text; undefined as long as only text has been received. */
  #parts: unknown[] | undefined;
  #joined = '';
  #fragments: string[] = [];

  override add(fragment: unknown): boolean {
    if (typeof fragment === 'string') {
      // A large fragment is appended immediately, because joining copies it.
      if (this.#fragments.push(fragment) >= 256 || fragment.length > 1_000) this.#join();
      return true;
    }
    if (!Array.isArray(fragment) || fragment.length === 0) return false;
    this.#parts ??= [];
    for (const part of fragment) {
      const text = plainTextOf(part);
      if (text !== undefined) this.add(text);
      else {
        this.#parts.push(...this.#textParts(), part);
        this.#joined = '';
      }
    }
    return true;
  }

  /** The text, or an array if parts have been received. */
  override get value(): unknown {
    return this.#parts ? [...this.#parts, ...this.#textParts()] : this.#join();
  }

  #textParts(): object[] {
    const text = this.#join();
    return text === '' ? [] : [{ type: 'text', text }];
  }

  #join(): string {
    this.#joined += this.#fragments.join('');
    this.#fragments = [];
    return this.#joined;
  }
}

/** The reducer of a text. */
export const text = collected(() => new TextBuffer());

/** The text of a part that is nothing but text. */
function plainTextOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part;
  const isText = isRecord(part) && part.type === 'text' && Object.keys(part).length === 2;
  return isText && typeof part.text === 'string' ? part.text : undefined;
}

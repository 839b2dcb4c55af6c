import { isRecord } from '../../wire/types/type-guards.ts';

/** A value that is received in fragments. */
export abstract class FieldBuffer {
  /** Adds a fragment. Returns false if the value is not one. */
  abstract add(fragment: unknown): boolean;
  /** What has been received so far. Later fragments do not change it. */
  abstract get value(): unknown;
}

/** Returns the new value of a field. It is not called for a value that equals the previous one. */
export type Reducer = (previous: unknown, added: unknown) => unknown;

/** The reducers of the fields that a record is known to have, by name. */
type Reducers = ReadonlyMap<string, Reducer>;

const noReducers: Reducers = new Map();

/**
 * A record that is received in fragments: a chunk, a choice or a delta. Most of its fields never change.
 *
 * Records are iterated over, and their fields are kept in a map. `record.name` would be slower: engines compile it for
 * the shapes of records that they have seen, and discard that code when a record of another shape arrives.
 */
export class RecordBuffer extends FieldBuffer {
  readonly #fields = new Map<string, unknown>();
  readonly #reducers: Reducers;
  /** Returns the reducer of any other field. */
  readonly #otherOf: (name: string) => Reducer;

  constructor(reducers: Reducers = noReducers, otherOf: (name: string) => Reducer = () => latest) {
    super();
    this.#reducers = reducers;
    this.#otherOf = otherOf;
  }

  override add(record: unknown): boolean {
    if (!isRecord(record)) return false;
    for (const name in record) {
      const added = record[name];
      const previous = this.#fields.get(name);
      if (added === previous) continue;
      this.#fields.set(name, (this.#reducers.get(name) ?? this.#otherOf(name))(previous, added));
    }
    return true;
  }

  override get value(): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    for (const [name, field] of this.#fields) {
      const value = field instanceof FieldBuffer ? field.value : field;
      if (value !== undefined && name !== '__proto__') record[name] = value;
    }
    return record;
  }
}

/** A list that grows item by item. */
export class ListBuffer extends FieldBuffer {
  readonly #items: unknown[] = [];

  override add(items: unknown): boolean {
    if (!Array.isArray(items)) return false;
    for (const item of items) this.#items.push(item);
    return true;
  }

  override get value(): unknown[] {
    return [...this.#items];
  }
}

/** The reducer of fields that a buffer collects. A value that is not a fragment never replaces a buffer. */
export function collected(createBuffer: () => FieldBuffer): Reducer {
  return (previous, added) => {
    const buffer = previous instanceof FieldBuffer ? previous : createBuffer();
    return buffer.add(added) || buffer === previous ? buffer : latest(previous, added);
  };
}

/** A later value replaces an earlier one, unless it is null. */
export function latest(previous: unknown, added: unknown): unknown {
  return added === null && previous !== undefined ? previous : added;
}

/** Leaves a field out. */
export function ignored(): undefined {}

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

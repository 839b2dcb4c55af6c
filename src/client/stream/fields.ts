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

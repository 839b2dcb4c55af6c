import { isRecord } from '../../wire/types/type-guards.ts';
import { stringify } from '../http/json.ts';
import { FieldBuffer, latest, RecordBuffer, text, TextBuffer } from './fields.ts';
import type { Reducer } from './fields.ts';

/** Fields whose text always grows, even if a fragment equals the previous one. */
const textNames = /(^|_)(text|thinking|thought|reasoning|content|summary|transcript)$/;

/** Fields of a record that a later value replaces. */
const replacedNames = /^(id|type|index|role|status|object)$/;

/**
 * Creates the reducer of fields that the client does not know: records are merged field by field, and lists are
 * appended. Texts in a list grow, and those outside of one only with `textGrows`. Values are kept as they are below
 * `depth` levels, so that deeply nested ones cannot exhaust the stack.
 */
function unknownField(textGrows: boolean, depth: number): Reducer {
  if (depth === 0) return latest;
  const inRecord = unknownField(textGrows, depth - 1);
  const inList = unknownField(true, depth - 1);
  return (previous, added) => {
    if (previous instanceof FieldBuffer && previous.add(added)) return previous;
    if (added === null || added === '') return previous ?? added;
    const buffer = isRecord(added)
      ? new RecordBuffer(undefined, reducersOver(inRecord, textGrows))
      : Array.isArray(added)
        ? new ItemList(inList)
        : textGrows && typeof added === 'string'
          ? new GrowingText()
          : undefined;
    return buffer?.add(added) ? buffer : added;
  };
}

/** The reducers of fields that are recognized by their names alone. */
export function reducersOver(field: Reducer, textGrows = true): (name: string) => Reducer {
  const joined: Reducer = (previous, added) =>
    typeof added === 'string' || previous instanceof TextBuffer
      ? text(previous, added)
      : field(previous, added);
  return (name) =>
    replacedNames.test(name) ? latest : textGrows && textNames.test(name) ? joined : field;
}

/** The reducer of unknown fields of a delta, which are fragments. */
export const fragment = unknownField(true, 8);

/** The reducer of unknown fields of a chunk or a choice, whose texts are not fragments. */
export const snapshot = unknownField(false, 8);

/**
 * A text in fragments, or a value that every chunk repeats: the first fragment that differs decides. One that was repeated
 * many times before is a value that has changed.
 */
class GrowingText extends FieldBuffer {
  #first = '';
  #count = 0;
  #text: TextBuffer | undefined;

  override add(added: unknown): boolean {
    if (typeof added !== 'string') return added === null;
    if (added === '') return true;
    if (!this.#text) {
      if (this.#count === 0 || (this.#count > 16 && added !== this.#first)) {
        this.#first = added;
        this.#count = 1;
        return true;
      }
      if (added === this.#first) {
        this.#count += 1;
        return true;
      }
      this.#text = new TextBuffer();
      this.#text.add(this.#first.repeat(this.#count));
    }
    return this.#text.add(added);
  }

  override get value(): unknown {
    return this.#text ? this.#text.value : this.#first;
  }
}

/** A list in unknown fields. */
class ItemList extends FieldBuffer {
  readonly #field: Reducer;
  readonly #items: unknown[] = [];
  /** The last item with an index, by the index, and by index and type. */
  readonly #indexed = new Map<unknown, Item>();
  /** The last list without indexes, as JSON. */
  #lastList = '';

  constructor(field: Reducer) {
    super();
    this.#field = field;
  }

  /**
   * Some services repeat the list in every chunk, complete or so far: only what is new is added. Numbers, such as ids of
   * tokens, may repeat.
   */
  override add(list: unknown): boolean {
    if (!Array.isArray(list)) return list === null;
    const mayRepeat = !list.some(
      (item) => typeof item === 'number' || (isRecord(item) && hasIndex(item)) || isThought(item),
    );
    if (!mayRepeat) this.#addItems(list);
    else if (list.length > 0) {
      const json = stringify(list);
      const { length } = this.#items;
      const isLonger =
        length > 0 &&
        list.length > length &&
        stringify(list.slice(0, length)) === stringify(this.value);
      if (json !== this.#lastList) this.#addItems(isLonger ? list.slice(length) : list);
      this.#lastList = json;
    }
    return true;
  }

  override get value(): unknown[] {
    return this.#items.map((item) => (item instanceof FieldBuffer ? item.value : item));
  }

  #addItems(list: readonly unknown[]): void {
    for (const added of list) {
      if (!isRecord(added)) {
        this.#items.push(added);
        continue;
      }
      let item = this.#find(added);
      if (!item) this.#items.push((item = new Item(undefined, reducersOver(this.#field))));
      item.add(added);
      if (hasIndex(added)) {
        this.#indexed.set(added.index, item);
        this.#indexed.set(`${added.index} ${String(item.first.type)}`, item);
      }
    }
  }

  /**
   * The item that a record continues: one with its index, and with its type and id where both have one. Without an index,
   * thoughts continue the last one until it is signed.
   */
  #find(added: Record<string, unknown>): Item | undefined {
    const known = hasIndex(added)
      ? (this.#indexed.get(`${added.index} ${String(added.type)}`) ??
        this.#indexed.get(added.index))
      : isThought(added)
        ? this.#items.at(-1)
        : undefined;
    if (!(known instanceof Item)) return undefined;
    const { first } = known;
    const isSame = (name: string) =>
      added[name] == null || first[name] == null || added[name] === first[name];
    if (!isSame('type') || !isSame('id')) return undefined;
    return hasIndex(added) || (isThought(first) && !hasIndex(first) && !known.isSigned)
      ? known
      : undefined;
  }
}

/** An item of a list. */
class Item extends RecordBuffer {
  /** The first value of each field, and the first index, type and id that are not null. */
  first: Record<string, unknown> = {};
  isSigned = false;

  override add(record: unknown): boolean {
    if (isRecord(record)) {
      const { index = null, type = null, id = null, signature } = record;
      const { first } = this;
      this.first = {
        ...record,
        ...first,
        index: first.index ?? index,
        type: first.type ?? type,
        id: first.id ?? id,
      };
      this.isSigned ||= Boolean(signature);
    }
    return super.add(record);
  }
}

function hasIndex(
  record: Record<string, unknown>,
): record is Record<string, unknown> & { index: number } {
  return Number.isInteger(record.index);
}

/** Whether an item is a fragment of reasoning: models accept a block back only with its text and its signature. */
function isThought(item: unknown): boolean {
  return (
    isRecord(item) &&
    /^(thinking|reasoning)/.test(String(item.type)) &&
    ['thinking', 'text', 'summary', 'signature'].some((name) => typeof item[name] === 'string')
  );
}

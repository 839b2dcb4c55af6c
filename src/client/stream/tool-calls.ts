import type { ToolCallDelta } from '../../wire/types/chat/completion.ts';
import type { ToolCall } from '../../wire/types/chat/params.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isRecord, textOf } from '../../wire/types/type-guards.ts';
import { parseJson, stringify } from '../http/json.ts';
import { FieldBuffer, ignored, RecordBuffer } from './fields.ts';
import type { Reducer } from './fields.ts';
import { isRepeated, isSameJson, joinedArguments } from './tool-arguments.ts';
import { fragment } from './unknown-fields.ts';

/** The tool calls of one message, accumulated from fragments. */
export class ToolCalls extends FieldBuffer {
  /** The calls by index; some may be missing. */
  readonly #calls: Call[] = [];
  readonly #indexById = new Map<string | undefined, number>();
  /** Where the fragments of an index belong, if several calls were sent with it. */
  readonly #movedTo: Record<number, number> = {};
  /** Index of the call that the last fragment extended. */
  #lastIndex = 0;

  /**
   * Adds the fragments of one chunk, which `parseChunk` has checked, and corrects them for other readers of the chunk:
   * their indexes, the type of their arguments, and what repeats a complete call.
   */
  override add(added: unknown): boolean {
    const fragments = unchecked<ToolCallDelta[]>(added);
    for (const [position, part] of fragments.entries()) {
      const id = textOf(part.id);
      const candidate = fragments.length > 1 ? position : this.#lastIndex;
      const { index: sent } = part;
      const found = this.#findIndex(part, id, candidate);
      const isOther = this.#calls[found]?.isFollowedBy(part, id ?? sent) ?? false;
      const index = isOther ? this.#calls.length : found;
      if (isOther && sent != null) this.#movedTo[sent] = index;
      part.index = index;
      if (id !== undefined) part.id = id;
      const { function: called } = part;
      const given: unknown = called?.arguments;
      if (called && given != null) called.arguments = stringify(given);
      if (called) this.#calls[index]?.removeRepetition(called);
      this.#lastIndex = index;
      if (id !== undefined) this.#indexById.set(id, index);
      (this.#calls[index] ??= new Call()).add(part, id);
    }
    return true;
  }

  /** Copies of the calls, sorted by index; undefined if there are none. Later fragments do not change them. */
  override get value(): ToolCall[] | undefined {
    // `structuredClone` would fail on deeply nested fields.
    const calls = Object.values(this.#calls).map((call) => call.value);
    return calls.length > 0 ? calls : undefined;
  }

  /**
   * The index of the call that a fragment belongs to.
   *
   * An id names its call. In a fragment without an index, a new id begins a new call. Without an id, a single fragment
   * continues the last call, and several in one chunk continue the calls in their order, unless a fragment names
   * another function after the arguments have begun.
   *
   * Some services send every parallel call with the index 0: another id begins another call if its function differs,
   * or if the arguments of the previous call are complete.
   */
  #findIndex(part: ToolCallDelta, id: string | undefined, candidate: number): number {
    const { index: sent } = part;
    const index = sent == null ? candidate : (this.#movedTo[sent] ?? sent);
    const call = this.#calls[index];
    const { name, text = '', mayBeComplete } = call?.called ?? {};
    const isSame = (textOf(part.function?.name) ?? name) === name;
    if (sent == null) {
      if (id === undefined && call && (isSame || text === '')) return index;
      return this.#indexById.get(id) ?? this.#calls.length;
    }
    if (id === undefined || !call?.id || call.id === id) return index;
    // Parsed only where it can be complete: it grows with every fragment.
    const isComplete = mayBeComplete && parseJson(joinedArguments(text));
    const next = isSame && !isComplete ? index : this.#calls.length;
    return (this.#movedTo[sent] = this.#indexById.get(id) ?? next);
  }
}

/** One tool call. */
class Call {
  id = '';
  readonly called = new CalledFunction();
  readonly #fields = new RecordBuffer(callReducers, () => fragment);

  constructor() {
    this.#fields.add({ type: 'function' });
  }

  add(part: ToolCallDelta, id = this.id): void {
    this.id = id;
    this.called.add(part.function);
    this.#fields.add(part);
  }

  get value(): ToolCall {
    return unchecked<ToolCall>({ id: this.id, ...this.#fields.value, function: this.called.value });
  }

  /** Removes what a fragment repeats of this call, if it is complete. Other readers would take it for another call. */
  removeRepetition(called: { name?: string | undefined; arguments?: string | undefined }): void {
    if (!this.called.mayBeComplete) return;
    const { name, text } = this.called;
    if (isRepeated(called.arguments ?? '', text)) called.arguments = '';
    if (called.name === name) delete called.name;
  }

  /**
   * Whether a fragment that was sent with the identity of this call begins another one, because it names a function after
   * the arguments of this call are complete. With an id or an index, the same arguments are a repetition, and empty ones
   * were a placeholder. Without both, they are so only if this call arrived in pieces.
   */
  isFollowedBy(part: ToolCallDelta, identity: unknown): boolean {
    const named = textOf(part.function?.name);
    if (named === undefined || !this.called.mayBeComplete) return false;
    const { name, text, pieces } = this.called;
    const joined = joinedArguments(text);
    if (parseJson(joined) === undefined) return false;
    if (named !== name) return true;
    const next = stringify(part.function?.arguments ?? '').trim();
    if (!/^([{[]|null$)/.test(next)) return false;
    const isSame = isSameJson(next, joined);
    if (identity === undefined || identity === null) return !isSame || pieces === 1;
    return !isSame && joinedArguments(`${joined}{`) !== '{';
  }
}

const callReducers = new Map<string, Reducer>([
  ['id', ignored],
  ['index', ignored],
  ['function', ignored],
  ['type', (previous, added) => added || previous],
]);

const functionReducers = new Map<string, Reducer>([
  ['name', ignored],
  ['arguments', ignored],
]);

/** A function that is called: its name and arguments, and any other fields. */
export class CalledFunction extends RecordBuffer {
  name = '';
  /** The arguments as they were sent. */
  text = '';
  /** The number of fragments of the arguments. */
  pieces = 0;
  /** The last character that is not white space. */
  #end: string | undefined;

  constructor() {
    super(functionReducers, () => fragment);
  }

  /**
   * Services stream a name in fragments, or repeat the whole name; a fragment that equals the name so far repeats it.
   * Some services send the arguments as an object.
   */
  override add(record: unknown): boolean {
    if (!isRecord(record)) return false;
    const name = textOf(record.name) ?? '';
    if (name !== this.name) this.name += name;
    const text = stringify(record.arguments ?? '');
    if (text !== '') this.pieces += 1;
    this.text += text;
    this.#end = text.trimEnd().at(-1) ?? this.#end;
    return super.add(record);
  }

  /**
   * Whether the arguments may be complete: an object, a list or null. Decided without reading the text, which grows with every
   * fragment.
   */
  get mayBeComplete(): boolean {
    return (
      this.#end === '}' ||
      this.#end === ']' ||
      (this.#end === 'l' && this.text.length < 100 && this.text.trim() === 'null')
    );
  }

  override get value(): Record<string, unknown> {
    return { name: this.name, arguments: joinedArguments(this.text), ...super.value };
  }
}

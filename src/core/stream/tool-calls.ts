import type { ToolCallDelta } from '../../schemas/chat-completion.ts';
import type { ToolCall } from '../../schemas/chat-params.ts';
import { textOf } from '../../schemas/type-guards.ts';
import { parseJson, stringify } from '../http/json.ts';
import { keepField } from './keep-field.ts';

/** The tool calls of one message, accumulated from fragments. */
export class ToolCalls {
  readonly #calls = new Map<number, ToolCall>();
  /** Where the fragments of an index belong, if several calls were sent with it. */
  readonly #movedTo = new Map<number, number>();
  /** Index of the call that the last fragment extended. */
  #lastIndex = 0;
  /** The lowest index above those of all calls. */
  #nextIndex = 0;

  /** Adds the fragments of one chunk, and corrects their indexes. */
  add(fragments: readonly ToolCallDelta[]): void {
    for (const [position, fragment] of fragments.entries()) {
      const id = textOf(fragment.id);
      const candidate = fragments.length > 1 ? position : this.#lastIndex;
      fragment.index =
        fragment.index === undefined
          ? this.#findIndex(fragment, id, candidate)
          : this.#checkIndex(fragment, id, fragment.index);
      this.#extend(fragment, id);
    }
  }

  /** Copies of the calls, sorted by index; undefined if there are none. Later fragments do not change them. */
  get list(): ToolCall[] | undefined {
    if (this.#calls.size === 0) return undefined;
    // `structuredClone` would fail on deeply nested fields.
    return [...this.#calls]
      .toSorted(([a], [b]) => a - b)
      .map(([, call]) => ({ ...call, function: { ...call.function } }));
  }

  #indexOf(id: string): number | undefined {
    return [...this.#calls].find(([, call]) => call.id === id)?.[0];
  }

  /**
   * The index of a fragment that has none. An id names its call, and a new id begins a new one. Without an id, a single
   * fragment continues the last call, and several in one chunk continue the calls in their order, unless a fragment
   * names another function after the arguments have begun.
   */
  #findIndex(fragment: ToolCallDelta, id: string | undefined, candidate: number): number {
    if (id !== undefined) return this.#indexOf(id) ?? this.#nextIndex;
    const call = this.#calls.get(candidate)?.function;
    const name = textOf(fragment.function?.name) ?? call?.name;
    const continues = call !== undefined && (call.arguments === '' || name === call.name);
    return continues ? candidate : this.#nextIndex;
  }

  /**
   * The index of a fragment that has one. Some services send every parallel call with the index 0: another id begins
   * another call if its function differs, or if the arguments of the previous call are complete.
   */
  #checkIndex(fragment: ToolCallDelta, id: string | undefined, sent: number): number {
    const index = this.#movedTo.get(sent) ?? sent;
    const call = this.#calls.get(index);
    if (id === undefined || call === undefined || call.id === '' || call.id === id) return index;
    const known = this.#indexOf(id);
    const name = textOf(fragment.function?.name) ?? call.function.name;
    const { arguments: text } = call.function;
    // Parsed only where it can be complete: it grows with every fragment.
    const isComplete = text.endsWith('}') && parseJson(text);
    const isSame = name === call.function.name && !isComplete;
    if (known === undefined && isSame) return index;
    const moved = known ?? this.#nextIndex;
    this.#movedTo.set(sent, moved);
    return moved;
  }

  #extend(fragment: ToolCallDelta, id: string | undefined): void {
    const { index } = fragment;
    let call = this.#calls.get(index);
    if (call === undefined) {
      call = { id: '', type: 'function', function: { name: '', arguments: '' } };
      this.#calls.set(index, call);
      this.#nextIndex = Math.max(this.#nextIndex, index + 1);
    }
    this.#lastIndex = index;
    call.id = id ?? call.id;
    for (const key in fragment) {
      if (key === 'function') extendFunction(call.function, fragment.function ?? {});
      else if (key !== 'id' && key !== 'index') keepField(call, key, fragment[key]);
    }
  }
}

/** Services stream a name in fragments, or repeat the whole name; a fragment that equals the name so far repeats it. */
function extendFunction(
  target: ToolCall['function'],
  { name, arguments: text }: Record<string, unknown>,
): void {
  const nameText = textOf(name) ?? '';
  if (nameText !== target.name) target.name += nameText;
  // Some services send the arguments as an object.
  if (text !== undefined && text !== null) target.arguments += stringify(text);
}

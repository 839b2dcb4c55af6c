import type { ToolCallDelta } from '../../types/chat/completion.ts';
import type { ToolCall } from '../../types/chat/params.ts';
import { unchecked } from '../../types/schema.ts';
import { textOf } from '../../types/type-guards.ts';
import { parseJson, stringify } from '../http/json.ts';
import { FieldBuffer, latest } from './fields.ts';

/** The tool calls of one message, accumulated from fragments. */
export class ToolCalls extends FieldBuffer {
  /** The calls by index; some may be missing. */
  readonly #calls: ToolCall[] = [];
  readonly #indexById = new Map<string | undefined, number>();
  /** Where the fragments of an index belong, if several calls were sent with it. */
  readonly #movedTo: Record<number, number> = {};
  /** Index of the call that the last fragment extended. */
  #lastIndex = 0;

  /** Adds the fragments of one chunk, which `normalizeChunk` has checked, and corrects their indexes. */
  override add(added: unknown): boolean {
    const fragments = unchecked<ToolCallDelta[]>(added);
    for (const [position, fragment] of fragments.entries()) {
      const id = textOf(fragment.id);
      const candidate = fragments.length > 1 ? position : this.#lastIndex;
      const index = this.#findIndex(fragment, id, candidate);
      fragment.index = index;
      this.#lastIndex = index;
      if (id !== undefined) this.#indexById.set(id, index);
      const call = (this.#calls[index] ??= {
        id: '',
        type: 'function',
        function: { name: '', arguments: '' },
      });
      extend(call, fragment, id);
    }
    return true;
  }

  /** Copies of the calls, sorted by index; undefined if there are none. Later fragments do not change them. */
  override get value(): ToolCall[] | undefined {
    // `structuredClone` would fail on deeply nested fields.
    const calls = Object.values(this.#calls).map((call) => ({
      ...call,
      function: { ...call.function },
    }));
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
  #findIndex(fragment: ToolCallDelta, id: string | undefined, candidate: number): number {
    const { index: sent } = fragment;
    const index = sent == null ? candidate : (this.#movedTo[sent] ?? sent);
    const call = this.#calls[index];
    const { name, arguments: text = '' } = call?.function ?? {};
    const isSame = (textOf(fragment.function?.name) ?? name) === name;
    if (sent == null) {
      if (id === undefined && call && (isSame || text === '')) return index;
      return this.#indexById.get(id) ?? this.#calls.length;
    }
    if (id === undefined || !call?.id || call.id === id) return index;
    // Parsed only where it can be complete: it grows with every fragment.
    const isComplete = text.endsWith('}') && parseJson(text);
    const next = isSame && !isComplete ? index : this.#calls.length;
    return (this.#movedTo[sent] = this.#indexById.get(id) ?? next);
  }
}

/** Services stream a name in fragments, or repeat the whole name; a fragment that equals the name so far repeats it. */
function extend(call: ToolCall, fragment: ToolCallDelta, id = call.id): void {
  call.id = id;
  const target = call.function;
  const { name, arguments: text }: Record<string, unknown> = fragment.function ?? {};
  const nameText = textOf(name) ?? '';
  if (nameText !== target.name) target.name += nameText;
  // Some services send the arguments as an object.
  target.arguments += stringify(text ?? '');
  for (const key in fragment) {
    if (!/^(id|index|function|__proto__)$/.test(key)) call[key] = latest(call[key], fragment[key]);
  }
}

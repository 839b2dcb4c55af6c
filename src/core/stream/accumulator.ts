import type {
  ChatCompletion,
  ChatCompletionChoice,
  ChatCompletionChunk,
  ChatCompletionChunkChoice,
  ChatCompletionDelta,
  ChatCompletionMessage,
  FinishReason,
  ToolCallDelta,
} from '../../schemas/chat-completion.ts';
import type { ToolCall } from '../../schemas/chat-params.ts';
import { isRecord } from '../../schemas/type-guards.ts';

type TextField = 'content' | 'refusal' | 'reasoning_content' | 'reasoning';

/** One choice of the completion in progress. */
interface PartialChoice {
  readonly choice: ChatCompletionChoice;
  /** Message fields whose fragments are concatenated. */
  readonly texts: Partial<Record<TextField, TextBuffer>>;
  /** Tool calls by index. */
  readonly toolCalls: Map<number, ToolCall>;
}

/**
 * Accumulates the chunks of a stream into the completion that the same request returns without streaming. It runs for
 * every chunk and therefore iterates over fields in place: copying an object to omit a field takes longer than
 * everything else together.
 */
export class Accumulator {
  /** Whether at least one chunk has been added. */
  hasChunks = false;
  readonly #choices = new Map<number, PartialChoice>();
  /** Top-level fields other than `choices`. */
  readonly #fields: Record<string, unknown> = {};
  /** Number of choices without a finish reason. */
  #unfinished = 0;

  add(chunk: ChatCompletionChunk): void {
    this.hasChunks = true;
    for (const name in chunk) {
      if (name !== 'choices') keepField(this.#fields, name, chunk[name]);
    }
    for (const choice of chunk.choices) this.#addChoice(choice);
  }

  /** Whether there are at least `count` choices, and each has a finish reason. */
  isFinished(count: number): boolean {
    return this.#unfinished === 0 && this.#choices.size >= Math.max(1, count);
  }

  /** A new object with everything accumulated so far; later chunks do not change it. */
  get completion(): ChatCompletion {
    const { id, created, model } = this.#fields;
    const choices = [...this.#choices.values()].map(({ choice, texts, toolCalls }) => {
      const message = { ...choice.message };
      for (const [name, text] of Object.entries(texts)) message[name] = text.toString();
      if (toolCalls.size > 0) message.tool_calls = sortByIndex(toolCalls).map(copyToolCall);
      return { ...choice, message };
    });
    return {
      ...this.#fields,
      id: typeof id === 'string' ? id : '',
      object: 'chat.completion',
      created: typeof created === 'number' ? created : 0,
      model: typeof model === 'string' ? model : '',
      choices: choices.toSorted((a, b) => a.index - b.index),
    };
  }

  #addChoice(chunkChoice: ChatCompletionChunkChoice): void {
    const partial = this.#partialChoice(chunkChoice.index);
    const { choice } = partial;
    for (const name in chunkChoice) {
      const value = chunkChoice[name];
      switch (name) {
        case 'index':
        case 'delta':
          break;
        case 'finish_reason':
          if (chunkChoice.finish_reason) this.#finish(choice, chunkChoice.finish_reason);
          break;
        case 'logprobs':
          choice.logprobs = joinLogprobs(choice.logprobs, value);
          break;
        default:
          keepField(choice, name, value);
      }
    }
    addDelta(partial, chunkChoice.delta);
  }

  #partialChoice(index: number): PartialChoice {
    let partial = this.#choices.get(index);
    if (partial === undefined) {
      const message: ChatCompletionMessage = { role: 'assistant', content: null };
      const choice = { index, message, finish_reason: null };
      partial = { choice, texts: {}, toolCalls: new Map() };
      this.#choices.set(index, partial);
      this.#unfinished += 1;
    }
    return partial;
  }

  #finish(choice: ChatCompletionChoice, reason: FinishReason): void {
    if (choice.finish_reason === null) this.#unfinished -= 1;
    choice.finish_reason = reason;
  }
}

function addDelta(
  { choice: { message }, texts, toolCalls }: PartialChoice,
  delta: ChatCompletionDelta,
): void {
  for (const name in delta) {
    const value = delta[name];
    switch (name) {
      case 'role':
        break;
      case 'content':
      case 'refusal':
      case 'reasoning_content':
      case 'reasoning':
        if (typeof value === 'string') (texts[name] ??= new TextBuffer()).add(value);
        else if (value === null) message[name] ??= null;
        break;
      case 'tool_calls':
        for (const call of delta.tool_calls ?? []) addToolCall(toolCalls, call);
        break;
      case 'images':
        if (Array.isArray(delta.images)) {
          message.images = [...(message.images ?? []), ...delta.images];
        }
        break;
      default:
        keepField(message, name, value);
    }
  }
}

function addToolCall(toolCalls: Map<number, ToolCall>, delta: ToolCallDelta): void {
  const { index, function: functionDelta, id, ...rest } = delta;
  let call = toolCalls.get(index);
  if (call === undefined) {
    call = { id: '', type: 'function', function: { name: '', arguments: '' } };
    toolCalls.set(index, call);
  }
  if (id) call.id = id;
  call.function.name += functionDelta?.name ?? '';
  call.function.arguments += functionDelta?.arguments ?? '';
  for (const name in rest) keepField(call, name, rest[name]);
}

/**
 * Stores a field that is not concatenated. A later value replaces an earlier one, unless it is null. Most fields have
 * the same value in every chunk, and comparing is cheaper than writing.
 */
function keepField(target: Record<string, unknown>, name: string, value: unknown): void {
  const previous = target[name];
  if (value === previous || name === '__proto__' || (value === null && previous !== undefined)) {
    return;
  }
  target[name] = value;
}

/** Concatenates the lists of two log probability records, field by field. */
function joinLogprobs(previous: unknown, next: unknown): unknown {
  if (!isRecord(previous) || !isRecord(next)) return next ?? previous ?? null;
  const joined = Object.entries(next).map(([name, later]) => {
    const earlier = previous[name];
    return [name, isList(earlier) && isList(later) ? [...earlier, ...later] : later];
  });
  return { ...previous, ...Object.fromEntries(joined) };
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** Copies a call so that later chunks do not change it. `structuredClone` would fail on deeply nested fields. */
function copyToolCall(call: ToolCall): ToolCall {
  return { ...call, function: { ...call.function } };
}

function sortByIndex(toolCalls: Map<number, ToolCall>): ToolCall[] {
  return [...toolCalls].toSorted(([a], [b]) => a - b).map(([, call]) => call);
}

/** Number of characters that are buffered before they are joined. */
const joinThreshold = 16_384;

/**
 * A text that grows in small fragments and may never be read. Fragments are joined in batches, because a string built
 * with `+=` keeps every fragment alive until it is read, which means more work for the garbage collector.
 */
class TextBuffer {
  #joined = '';
  #fragments: string[] = [];
  #length = 0;

  add(fragment: string): void {
    this.#fragments.push(fragment);
    this.#length += fragment.length;
    if (this.#length >= joinThreshold) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#joined;
  }

  #join(): void {
    this.#joined += this.#fragments.join('');
    this.#fragments = [];
    this.#length = 0;
  }
}

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
import { isRecord } from '../../schemas/record.ts';
import { TextBuffer } from './text-buffer.ts';

type TextField = 'content' | 'refusal' | 'reasoning_content' | 'reasoning';

interface ChoiceParts {
  readonly choice: ChatCompletionChoice;
  /** Fields of the message whose pieces are joined. */
  readonly texts: Partial<Record<TextField, TextBuffer>>;
  readonly calls: Map<number, ToolCall>;
}

/**
 * Puts the chunks of a streamed answer together into the completion that the same call answers unstreamed. Runs for
 * every chunk, so fields are looked at in place: copying them to leave one out costs more than all the rest.
 */
export class Accumulator {
  /** Whether there was a chunk. */
  hasChunks = false;
  readonly #choices = new Map<number, ChoiceParts>();
  readonly #rest: Record<string, unknown> = {};
  #unfinished = 0;

  /** Adds one chunk. */
  add(chunk: ChatCompletionChunk): void {
    this.hasChunks = true;
    for (const name in chunk) {
      if (name !== 'choices') keepField(this.#rest, name, chunk[name]);
    }
    for (const piece of chunk.choices) this.#addChoice(piece);
  }

  /** Whether at least `count` choices came, and each has told why it stopped. */
  isFinished(count: number): boolean {
    return this.#unfinished === 0 && this.#choices.size >= Math.max(1, count);
  }

  /** What has arrived so far. */
  get completion(): ChatCompletion {
    const { id, created, model } = this.#rest;
    const choices = [...this.#choices.values()].map(({ choice, texts, calls }) => {
      const message = { ...choice.message };
      for (const [name, text] of Object.entries(texts)) message[name] = text.toString();
      if (calls.size > 0) message.tool_calls = inOrder(calls).map(copyToolCall);
      return { ...choice, message };
    });
    return {
      ...this.#rest,
      id: typeof id === 'string' ? id : '',
      object: 'chat.completion',
      created: typeof created === 'number' ? created : 0,
      model: typeof model === 'string' ? model : '',
      choices: choices.toSorted((a, b) => a.index - b.index),
    };
  }

  #addChoice(piece: ChatCompletionChunkChoice): void {
    const parts = this.#partsOf(piece.index);
    const { choice } = parts;
    for (const name in piece) {
      const value = piece[name];
      switch (name) {
        case 'index':
        case 'delta':
          break;
        case 'finish_reason':
          if (piece.finish_reason) this.#finish(choice, piece.finish_reason);
          break;
        case 'logprobs':
          choice.logprobs = joinLogprobs(choice.logprobs, value);
          break;
        default:
          keepField(choice, name, value);
      }
    }
    addDelta(parts, piece.delta);
  }

  #partsOf(index: number): ChoiceParts {
    let parts = this.#choices.get(index);
    if (parts === undefined) {
      const message: ChatCompletionMessage = { role: 'assistant', content: null };
      parts = { choice: { index, message, finish_reason: null }, texts: {}, calls: new Map() };
      this.#choices.set(index, parts);
      this.#unfinished += 1;
    }
    return parts;
  }

  #finish(choice: ChatCompletionChoice, reason: FinishReason): void {
    if (choice.finish_reason === null) this.#unfinished -= 1;
    choice.finish_reason = reason;
  }
}

function addDelta(
  { choice: { message }, texts, calls }: ChoiceParts,
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
        for (const call of delta.tool_calls ?? []) addCall(calls, call);
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

function addCall(calls: Map<number, ToolCall>, piece: ToolCallDelta): void {
  const { index, function: part, id, ...rest } = piece;
  let call = calls.get(index);
  if (call === undefined) {
    call = { id: '', type: 'function', function: { name: '', arguments: '' } };
    calls.set(index, call);
  }
  if (id) call.id = id;
  call.function.name += part?.name ?? '';
  call.function.arguments += part?.arguments ?? '';
  for (const name in rest) keepField(call, name, rest[name]);
}

/**
 * Takes over a field that is only kept, not put together; a later value replaces an earlier one, but for null. Nearly all
 * say the same in every chunk, and to look costs less than to write.
 */
function keepField(target: Record<string, unknown>, name: string, value: unknown): void {
  const before = target[name];
  if (value === before || name === '__proto__' || (value === null && before !== undefined)) return;
  target[name] = value;
}

function joinLogprobs(before: unknown, piece: unknown): unknown {
  if (!isRecord(before) || !isRecord(piece)) return piece ?? before ?? null;
  const joined = Object.entries(piece).map(([name, later]) => {
    const earlier = before[name];
    return [name, isList(earlier) && isList(later) ? [...earlier, ...later] : later];
  });
  return { ...before, ...Object.fromEntries(joined) };
}

/** A copy that later pieces do not change. Not `structuredClone`, which fails on a record nested without end. */
function copyToolCall(call: ToolCall): ToolCall {
  return { ...call, function: { ...call.function } };
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function inOrder(calls: Map<number, ToolCall>): ToolCall[] {
  return [...calls].toSorted(([a], [b]) => a - b).map(([, call]) => call);
}

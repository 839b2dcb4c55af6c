import type {
  ChatCompletion,
  ChatCompletionChoice,
  ChatCompletionChunk,
  ChatCompletionChunkChoice,
  ChatCompletionDelta,
  ChatCompletionMessage,
  ToolCallDelta,
} from '../schemas/chat-completion.ts';
import type { ToolCall } from '../schemas/chat-params.ts';
import { isRecord } from '../schemas/record.ts';

/** Fields of a delta whose pieces are text to be joined. */
const textFields = ['content', 'refusal', 'reasoning_content', 'reasoning'] as const;

interface ChoiceParts {
  readonly choice: ChatCompletionChoice;
  readonly calls: Map<number, ToolCall>;
}

/** Puts the chunks of a streamed answer together into the completion that the same call answers unstreamed. */
export class Accumulator {
  readonly #choices = new Map<number, ChoiceParts>();
  #rest: Record<string, unknown> = {};
  #begun = false;
  #unfinished = 0;

  /** Adds one chunk. */
  add(chunk: ChatCompletionChunk): void {
    const { choices, ...rest } = chunk;
    this.#begun = true;
    keep(this.#rest, rest);
    for (const piece of choices) this.#addChoice(piece);
  }

  /** Whether at least `count` choices came, and each has told why it stopped. */
  isFinished(count: number): boolean {
    return this.#unfinished === 0 && this.#choices.size >= Math.max(1, count);
  }

  /** What has arrived so far; undefined before the first chunk. */
  get completion(): ChatCompletion | undefined {
    if (!this.#begun) return undefined;
    const { id, created, model } = this.#rest;
    const choices = [...this.#choices.values()].map(({ choice, calls }) => {
      const message = { ...choice.message };
      if (calls.size > 0) message.tool_calls = inOrder(calls).map(copied);
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

  #addChoice({ index, delta, finish_reason, logprobs, ...rest }: ChatCompletionChunkChoice): void {
    let parts = this.#choices.get(index);
    if (parts === undefined) {
      const message: ChatCompletionMessage = { role: 'assistant', content: null };
      parts = { choice: { index, message, finish_reason: null }, calls: new Map() };
      this.#choices.set(index, parts);
      this.#unfinished += 1;
    }
    const { choice, calls } = parts;
    if (finish_reason) {
      if (choice.finish_reason === null) this.#unfinished -= 1;
      choice.finish_reason = finish_reason;
    }
    if (logprobs !== undefined) choice.logprobs = joinLogprobs(choice.logprobs, logprobs);
    keep(choice, rest);
    addDelta(choice.message, delta);
    for (const call of delta.tool_calls ?? []) addCall(calls, call);
  }
}

function addDelta(message: ChatCompletionMessage, delta: ChatCompletionDelta): void {
  const { role: _, tool_calls: __, images, ...fields } = delta;
  for (const name of textFields) {
    const piece = fields[name];
    delete fields[name];
    if (typeof piece === 'string') message[name] = (message[name] ?? '') + piece;
    else if (piece === null) message[name] ??= null;
  }
  if (Array.isArray(images)) message.images = [...(message.images ?? []), ...images];
  keep(message, fields);
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
  keep(call, rest);
}

/** Takes over fields that are only kept, not put together; a later value replaces an earlier one. */
function keep(target: Record<string, unknown>, fields: Record<string, unknown>): void {
  for (const name in fields) {
    if (name === '__proto__') continue;
    const value = fields[name];
    if (value !== undefined && (value !== null || target[name] === undefined)) target[name] = value;
  }
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
function copied(call: ToolCall): ToolCall {
  return { ...call, function: { ...call.function } };
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function inOrder(calls: Map<number, ToolCall>): ToolCall[] {
  return [...calls].toSorted(([a], [b]) => a - b).map(([, call]) => call);
}

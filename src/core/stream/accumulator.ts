import type {
  ChatCompletion,
  ChatCompletionChoice,
  ChatCompletionChunk,
  ChatCompletionChunkChoice,
  ChatCompletionDelta,
  ChatCompletionMessage,
  FinishReason,
} from '../../schemas/chat-completion.ts';
import { isRecord } from '../../schemas/type-guards.ts';
import { addAudio, copyAudio } from './audio-buffer.ts';
import { keepField } from './keep-field.ts';
import { TextBuffer } from './text-buffer.ts';
import { ToolCalls } from './tool-calls.ts';

type TextField = 'content' | 'refusal' | 'reasoning_content' | 'reasoning';

/** One choice of the completion in progress. */
interface PartialChoice {
  readonly choice: ChatCompletionChoice;
  /** Message fields whose fragments are concatenated. */
  readonly texts: Partial<Record<TextField, TextBuffer>>;
  /** Parts of the same fields that were received before the text in `texts`. Most services send only text. */
  readonly parts: Partial<Record<TextField, unknown[]>>;
  readonly toolCalls: ToolCalls;
  audio?: Record<string, unknown>;
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
    const choices = [...this.#choices.values()].map(
      ({ choice, texts, parts, toolCalls, audio }) => {
        const message = { ...choice.message };
        for (const [name, text] of Object.entries(texts)) message[name] = text.toString();
        for (const [name, earlier = []] of Object.entries(parts)) {
          message[name] = [...earlier, ...toTextParts(message[name])];
        }
        const calls = toolCalls.list;
        if (calls !== undefined) message.tool_calls = calls;
        if (audio !== undefined) message.audio = copyAudio(audio);
        return { ...choice, message };
      },
    );
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
      partial = { choice, texts: {}, parts: {}, toolCalls: new ToolCalls() };
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

function addDelta(partial: PartialChoice, delta: ChatCompletionDelta): void {
  const { message } = partial.choice;
  for (const name in delta) {
    const value = delta[name];
    switch (name) {
      case 'role':
        break;
      case 'content':
      case 'refusal':
      case 'reasoning_content':
      case 'reasoning':
        if (typeof value === 'string') (partial.texts[name] ??= new TextBuffer()).add(value);
        else if (isList(value)) addParts(partial, name, value);
        else keepField(message, name, value);
        break;
      case 'tool_calls':
        partial.toolCalls.add(delta.tool_calls ?? []);
        break;
      case 'audio':
        if (isRecord(value)) addAudio((partial.audio ??= {}), value);
        else keepField(message, name, value);
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

/** Adds content parts. Text parts are joined with the text around them. */
function addParts({ texts, parts }: PartialChoice, name: TextField, added: unknown[]): void {
  for (const part of added) {
    const list = (parts[name] ??= []);
    const text = (texts[name] ??= new TextBuffer());
    const plainText = plainTextOf(part);
    if (plainText !== undefined) {
      text.add(plainText);
      continue;
    }
    list.push(...toTextParts(text.toString()), part);
    texts[name] = new TextBuffer();
  }
}

/** The text of a part that is nothing but text. */
function plainTextOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part;
  if (!isRecord(part) || part.type !== 'text' || typeof part.text !== 'string') return undefined;
  return Object.keys(part).length === 2 ? part.text : undefined;
}

function toTextParts(text: unknown): object[] {
  return text ? [{ type: 'text', text }] : [];
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

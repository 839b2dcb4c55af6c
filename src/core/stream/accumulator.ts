import type {
  ChatCompletion,
  ChatCompletionChoice,
  ChatCompletionChunk,
  ChatCompletionChunkChoice,
  ChatCompletionDelta,
  ChatCompletionMessage,
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
  /** The fields other than `choices`. */
  readonly #fields: ChatCompletion = {
    id: '',
    object: 'chat.completion',
    created: 0,
    model: '',
    choices: [],
  };

  add(chunk: ChatCompletionChunk): void {
    this.hasChunks = true;
    for (const name in chunk) {
      if (name !== 'choices' && name !== 'object') keepField(this.#fields, name, chunk[name]);
    }
    for (const choice of chunk.choices) this.#addChoice(choice);
  }

  /** Whether there are at least `count` choices, and each has a finish reason. */
  isFinished(count: number): boolean {
    const choices = [...this.#choices.values()];
    return (
      choices.length >= Math.max(1, count) &&
      choices.every(({ choice }) => choice.finish_reason !== null)
    );
  }

  /** A new object with everything accumulated so far; later chunks do not change it. */
  get completion(): ChatCompletion {
    const choices = [...this.#choices.values()].map(({ choice, texts, toolCalls, audio }) => {
      const message = { ...choice.message };
      for (const [name, text] of Object.entries(texts)) message[name] = text.value;
      const calls = toolCalls.list;
      if (calls !== undefined) message.tool_calls = calls;
      if (audio !== undefined) message.audio = copyAudio(audio);
      return { ...choice, message };
    });
    return { ...this.#fields, choices: choices.toSorted((a, b) => a.index - b.index) };
  }

  #addChoice(chunkChoice: ChatCompletionChunkChoice): void {
    const partial = this.#partialChoice(chunkChoice.index);
    const { choice } = partial;
    for (const name in chunkChoice) {
      const value = chunkChoice[name];
      if (name === 'logprobs') choice.logprobs = joinLogprobs(choice.logprobs, value);
      // Some services send an empty finish reason until the last chunk.
      else if (name !== 'delta' && (name !== 'finish_reason' || value))
        keepField(choice, name, value);
    }
    addDelta(partial, chunkChoice.delta);
  }

  #partialChoice(index: number): PartialChoice {
    let partial = this.#choices.get(index);
    if (partial === undefined) {
      const message: ChatCompletionMessage = { role: 'assistant', content: null };
      const choice = { index, message, finish_reason: null };
      partial = { choice, texts: {}, toolCalls: new ToolCalls() };
      this.#choices.set(index, partial);
    }
    return partial;
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
        if (typeof value === 'string' || (isList(value) && value.length > 0)) {
          (partial.texts[name] ??= new TextBuffer()).add(value);
        } else keepField(message, name, value);
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

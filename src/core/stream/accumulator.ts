import type {
  ChatCompletion,
  ChatCompletionChoice,
  ChatCompletionChunk,
  ChatCompletionChunkChoice,
  ChatCompletionDelta,
  ChatCompletionMessage,
} from '../../schemas/chat-completion.ts';
import { isRecord } from '../../schemas/type-guards.ts';
import { AudioBuffer } from './audio-buffer.ts';
import { keepField } from './keep-field.ts';
import { TextBuffer } from './text-buffer.ts';
import { ToolCalls } from './tool-calls.ts';

/** The fields of a message that grow in fragments. */
type Buffers = Partial<
  Record<'content' | 'refusal' | 'reasoning_content' | 'reasoning', TextBuffer>
> & {
  tool_calls?: ToolCalls;
  audio?: AudioBuffer;
};

/** One choice of the completion in progress. */
interface PartialChoice {
  readonly choice: ChatCompletionChoice;
  readonly buffers: Buffers;
}

/**
 * Accumulates the chunks of a stream into the completion that the same request returns without streaming. It runs for
 * every chunk and therefore iterates over fields in place: copying an object to omit a field takes longer than
 * everything else together.
 */
export class Accumulator {
  /** The choices by index, and therefore in this order. */
  readonly #choices: Record<number, PartialChoice> = {};
  /** The fields other than `choices`. */
  readonly #fields: ChatCompletion = {
    id: '',
    object: 'chat.completion',
    created: 0,
    model: '',
    choices: [],
  };

  add(chunk: ChatCompletionChunk): void {
    for (const name in chunk) {
      if (name !== 'choices' && name !== 'object') keepField(this.#fields, name, chunk[name]);
    }
    for (const choice of chunk.choices) {
      const { index } = choice;
      const partial = (this.#choices[index] ??= {
        choice: { index, message: { role: 'assistant', content: null }, finish_reason: null },
        buffers: {},
      });
      addChoice(partial, choice);
    }
  }

  /** Whether there are at least `count` choices, and each has a finish reason. */
  isFinished(count: number): boolean {
    const choices = Object.values(this.#choices);
    return (
      choices.length >= Math.max(1, count) && choices.every(({ choice }) => choice.finish_reason)
    );
  }

  /** A new object with everything accumulated so far; later chunks do not change it. */
  get completion(): ChatCompletion {
    const choices = Object.values(this.#choices).map(({ choice, buffers }) => {
      const message = { ...choice.message };
      for (const [name, buffer] of Object.entries(buffers)) message[name] = buffer.value;
      return { ...choice, message };
    });
    return { ...this.#fields, choices };
  }
}

function addChoice({ choice, buffers }: PartialChoice, added: ChatCompletionChunkChoice): void {
  for (const name in added) {
    const value = added[name];
    // Some services send an empty finish reason until the last chunk.
    if (name === 'delta' || (name === 'finish_reason' && !value)) continue;
    keepField(choice, name, name === 'logprobs' ? joinLogprobs(choice[name], value) : value);
  }
  addDelta(choice.message, buffers, added.delta);
}

function addDelta(
  message: ChatCompletionMessage,
  buffers: Buffers,
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
        if (typeof value === 'string' || (Array.isArray(value) && value.length > 0)) {
          (buffers[name] ??= new TextBuffer()).add(value);
        } else keepField(message, name, value);
        break;
      case 'tool_calls':
        if (delta.tool_calls?.length) (buffers[name] ??= new ToolCalls()).add(delta.tool_calls);
        break;
      case 'audio':
        if (isRecord(value)) (buffers[name] ??= new AudioBuffer()).add(value);
        else keepField(message, name, value);
        break;
      case 'images':
        if (Array.isArray(value)) keepField(message, name, concat(message[name], value));
        break;
      default:
        keepField(message, name, value);
    }
  }
}

/** Concatenates the lists of two log probability records, field by field. */
function joinLogprobs(previous: unknown, next: unknown): unknown {
  if (!isRecord(previous) || !isRecord(next)) return next;
  const joined = { ...previous };
  for (const name in next) keepField(joined, name, concat(previous[name], next[name]));
  return joined;
}

/** Concatenates two lists. Anything else replaces what preceded it. */
function concat(previous: unknown, next: unknown): unknown {
  return Array.isArray(previous) && Array.isArray(next) ? previous.concat(next) : next;
}

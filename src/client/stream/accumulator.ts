import type {
  ChatCompletion,
  ChatCompletionChoice,
  ChatCompletionChunkChoice,
} from '../../wire/types/chat/completion.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import {
  collected,
  FieldBuffer,
  ignored,
  latest,
  ListBuffer,
  RecordBuffer,
  text,
  TextBuffer,
} from './fields.ts';
import type { Reducer } from './fields.ts';
import { CalledFunction, ToolCalls } from './tool-calls.ts';
import { fragment, reducersOver, snapshot } from './unknown-fields.ts';

const list = collected(() => new ListBuffer());

/** The data and the transcript of the audio of a message are concatenated. */
const audioReducers = new Map<string, Reducer>([
  ['data', collected(() => new Base64Buffer())],
  ['transcript', text],
]);

const deltaReducers = new Map<string, Reducer>([
  ['role', ignored],
  ['content', text],
  ['refusal', text],
  ['reasoning_content', text],
  ['reasoning', text],
  ['tool_calls', collected(() => new ToolCalls())],
  ['function_call', collected(() => new CalledFunction())],
  ['audio', collected(() => new RecordBuffer(audioReducers))],
  ['images', (previous, added) => (Array.isArray(added) ? list(previous, added) : previous)],
]);

const unknownDeltaReducer = reducersOver(fragment);

const choiceReducers = new Map<string, Reducer>([
  ['delta', collected(() => new RecordBuffer(deltaReducers, unknownDeltaReducer))],
  ['message', ignored],
  // A record of lists.
  ['logprobs', collected(() => new RecordBuffer(undefined, () => list))],
  // Some services send an empty finish reason until the last chunk.
  ['finish_reason', (previous, added) => added || previous],
]);

const chunkReducers = new Map<string, Reducer>([
  ['object', ignored],
  ['choices', collected(() => new Choices())],
  // Where several chunks have it, each has the usage so far.
  ['usage', latest],
]);

const emptyCompletion: ChatCompletion = {
  id: '',
  object: 'chat.completion',
  created: 0,
  model: '',
  choices: [],
};

/**
 * Kept, although its content is never used: engines discard the code that they compiled for objects of one shape when
 * no such object is left, as between two streams.
 */
let sample: Accumulator | undefined;

/** Creates the accumulator of one stream. */
export function createAccumulator(): Accumulator {
  if (!sample) {
    sample = new Accumulator();
    sample.add({ choices: [{ delta: { content: '' } }] });
  }
  return new Accumulator();
}

/** Accumulates the chunks of a stream into the completion that the same request returns without streaming. */
export class Accumulator extends RecordBuffer {
  constructor() {
    super(chunkReducers, () => snapshot);
    this.add(emptyCompletion);
  }

  /** A new object with everything accumulated so far; later chunks do not change it. */
  get completion(): ChatCompletion {
    return { ...emptyCompletion, ...this.value };
  }
}

/** The choices of a completion. `parseChunk` has checked what is added. */
class Choices extends FieldBuffer {
  /** The choices by index, and therefore in this order. */
  readonly #choices: Record<number, RecordBuffer> = {};

  override add(choices: unknown): boolean {
    for (const choice of unchecked<ChatCompletionChunkChoice[]>(choices)) {
      (this.#choices[indexOf(choice)] ??= new RecordBuffer(choiceReducers, () => snapshot)).add(
        choice,
      );
    }
    return true;
  }

  override get value(): ChatCompletionChoice[] {
    return Object.values(this.#choices).map(({ value: { index, delta, ...fields } }) => ({
      index: Number(index),
      message: { role: 'assistant', content: null, ...(isRecord(delta) && delta) },
      finish_reason: null,
      ...fields,
    }));
  }
}

/** The index of a choice. The choice is iterated over for the same reason as a record in `RecordBuffer`. */
function indexOf(choice: Record<string, unknown>): number {
  let index = 0;
  for (const name in choice) {
    const value = choice[name];
    if (name === 'index') index = Number(value);
  }
  return index;
}

/** Base64 that grows in fragments. Its value is one encoding. */
class Base64Buffer extends TextBuffer {
  override get value(): unknown {
    const pieces = super.value;
    return typeof pieces === 'string' ? joinBase64(pieces) : pieces;
  }
}

/**
 * Base64 that was received in pieces, as one encoding. Some services split one encoding anywhere; others encode every
 * piece on its own, so that padding, which no decoder accepts in the middle, ends a piece.
 */
function joinBase64(pieces: string): string {
  if (!/=[^=]/.test(pieces)) return pieces;
  try {
    return btoa(pieces.replace(/[^=]*=*/g, (encoding) => atob(encoding)));
  } catch {
    // Not base64.
    return pieces;
  }
}

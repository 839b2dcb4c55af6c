import { StreamTruncatedError } from '../../errors/stream.ts';
import type { ChatCompletionChunk } from '../../types/chat/completion.ts';
import type { CallErrors } from '../call/failure/errors.ts';
import type { StreamEvent } from './event-decoder.ts';

/** Whether an event proves that the stream is complete. What follows it is ignored. */
export function isDone({ data }: StreamEvent): boolean {
  return data === '[DONE]';
}

/**
 * What proves a streamed chat complete, whether the client reads it, `gateway.fetch` passes it on, or another client has
 * relayed it:
 *
 * - `[DONE]`, without waiting for the end of the body.
 * - The end of the body, even by a lost connection, once every requested choice has a `finish_reason`. If the number of
 *   choices is not known, finish reasons prove nothing.
 *
 * Any other end of the body is a `StreamTruncatedError`.
 */
export class Completeness {
  readonly #choiceCount: number | undefined;
  /** The finish reason of each choice so far, by its index. */
  readonly #finishReasons = new Map<number, unknown>();

  constructor(choiceCount: number | undefined) {
    this.#choiceCount = choiceCount;
  }

  add({ choices }: Pick<ChatCompletionChunk, 'choices'>): void {
    for (const { index, finish_reason: reason } of choices) {
      // Some services send an empty finish reason until the last chunk.
      if (reason || !this.#finishReasons.has(index)) this.#finishReasons.set(index, reason);
    }
  }

  /** Whether the stream is complete if its body ends now, without `[DONE]`. */
  get isProven(): boolean {
    if (this.#choiceCount === undefined) return false;
    const reasons = [...this.#finishReasons.values()];
    return reasons.length >= Math.max(1, this.#choiceCount) && reasons.every(Boolean);
  }
}

/** The error for a stream whose body has ended before it was complete. `error` is set if the connection was lost. */
export function truncated(errors: CallErrors, error: unknown): StreamTruncatedError {
  const summary = 'The stream was truncated';
  return errors.bodyInterrupted(StreamTruncatedError, summary, 'it ended without [DONE]', error);
}

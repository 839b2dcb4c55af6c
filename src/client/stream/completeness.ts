import { StreamTruncatedError } from '../../errors/chat.ts';
import type { StreamError } from '../../errors/chat.ts';
import type { ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import { isFinished, isSuccessful } from '../../wire/types/chat/finished.ts';
import { bodyInterrupted } from '../call/body-errors.ts';
import type { CallErrors } from '../call/errors.ts';
import type { Log } from '../config/log.ts';
import { singleLine } from '../http/json.ts';
import { mayBeStatus, reportedError } from './other-events.ts';
import type { StreamEvent } from './other-events.ts';

/**
 * What proves a streamed chat complete, whether the client reads it, `gateway.fetch` passes it on, or another client has
 * relayed it:
 *
 * - `[DONE]` after any other event, without waiting for the end of the body. A stream of nothing else has delivered
 *   nothing, and is invalid.
 * - The end of the body, even by a lost connection, once every requested choice has a `finish_reason`. If the number of
 *   choices is not known, finish reasons prove nothing.
 * - The end of the body after an event that reports an error, where the stream is passed on: nothing has to follow the error,
 *   and the reader finds it. The client's own streams throw it at once.
 *
 * Events that only keep the connection open are no part of the chat. Once every requested choice has finished, neither
 * is anything else that is no chunk, not even an error: the chat was paid for, and nothing of it is missing.
 *
 * Any other end of the body is a `StreamTruncatedError`.
 */
export class Completeness {
  readonly #choiceCount: number | undefined;
  #isEmpty = true;
  /** The finish reason of each choice so far, by its index. */
  readonly #finishReasons = new Map<number, unknown>();
  #reported: StreamError | undefined;
  /** The last event that is a failure unless the chat continues after it. */
  suspect: StreamEvent | undefined;

  constructor(choiceCount: number | undefined) {
    this.#choiceCount = choiceCount;
  }

  add({ choices }: Pick<ChatCompletionChunk, 'choices'>): void {
    this.#isEmpty = false;
    for (const { index, finish_reason: reason } of choices) {
      // Some services send an empty finish reason until the last chunk.
      const isEnd = reason ? isFinished(reason) : false;
      if (isEnd || !this.#finishReasons.has(index)) {
        this.#finishReasons.set(index, isEnd ? reason : null);
      }
    }
  }

  /**
   * Judges an event that is neither a chunk nor a keep-alive: returns the error that it is, undefined if it reports none, or that
   * it is ignored, at least until the stream has ended.
   */
  judge(
    call: CallErrors,
    event: StreamEvent,
    maxEventBytes: number,
  ): StreamError | 'ignored' | undefined {
    if (this.isFinal) return 'ignored';
    if (event.data === undefined) {
      return call.invalidStream(`an event exceeds maxEventBytes (${maxEventBytes})`);
    }
    const reported = reportedError(call, event);
    if (!reported || !mayBeStatus(event)) return reported;
    this.suspect = event;
    return 'ignored';
  }

  /** The chat has continued after the suspect, which was a status then. */
  continueAfter({ data = '' }: StreamEvent, log: Log | undefined): void {
    this.suspect = undefined;
    log?.warn(
      () =>
        `A streamed chat: received ${singleLine(data)}, which was ignored, because the chat continued.`,
    );
  }

  /** Adds an event that is no chunk, by the error that it reports. A reader may know what it is. */
  addError(error: StreamError | undefined): void {
    this.#isEmpty = false;
    this.#reported ??= error;
  }

  /** The first error that the service has reported in the stream. */
  get reported(): StreamError | undefined {
    return this.#reported;
  }

  /** Whether the stream is complete if its body ends now, without `[DONE]`. */
  get isProven(): boolean {
    return this.#reported !== undefined || this.#isFinished(Boolean);
  }

  /** Whether every requested choice has finished without an error. Broken data then loses nothing. */
  get isFinal(): boolean {
    return this.#isFinished(isSuccessful);
  }

  #isFinished(isEnd: (reason: unknown) => boolean): boolean {
    if (this.#choiceCount === undefined) return false;
    const reasons = [...this.#finishReasons.values()];
    return reasons.length >= Math.max(1, this.#choiceCount) && reasons.every(isEnd);
  }

  /**
   * The error for a stream that ends now, with `[DONE]` or with its body; undefined if it is complete. `lost` is set if the
   * connection was lost.
   */
  errorAtEnd(call: CallErrors, end: 'done' | 'body', lost?: unknown): StreamError | undefined {
    if (this.suspect) return reportedError(call, this.suspect);
    if (end === 'done')
      return this.#isEmpty ? call.invalidStream('it contained no chunks') : undefined;
    const summary = 'The stream was truncated';
    return this.isProven
      ? undefined
      : bodyInterrupted(call, StreamTruncatedError, summary, 'it ended without [DONE]', lost);
  }
}

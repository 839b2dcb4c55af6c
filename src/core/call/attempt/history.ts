import type { Outcome } from '../../../errors/base.ts';
import type { ConcurrencyLimitError } from '../../../errors/status.ts';
import type { ResponseMeta } from '../../../types/meta.ts';
import { combineOutcomes } from '../failure/outcome.ts';
import type { Retry } from '../failure/retry.ts';

/** The result of the attempts that have ended. */
export interface EarlierAttempts {
  /** Number of retries, without those after a rejection for lack of a slot. */
  readonly retries: number;
  /** Number of retries after a rejection for lack of a slot. */
  readonly slotRejections: number;
  /** The error of the last of these rejections. */
  readonly slotRejection?: ConcurrencyLimitError | undefined;
  /** The combined outcome of all of them. */
  readonly outcome: Outcome;
  /** Metadata of the last response that named the task. */
  readonly taskMeta?: ResponseMeta | undefined;
}

/** Shared by all calls, most of which never need another one. */
const none: EarlierAttempts = { retries: 0, slotRejections: 0, outcome: 'not-sent' };

/**
 * What has happened in a call so far. The transitions of an attempt come in this order, and any may be left out: a call that
 * needs no slot is never queued, an interrupted attempt ends early, and only an attempt that another follows is ended here.
 *
 *     beginQueueing -> endQueueing -> markSent -> recordResponse -> endAttempt
 */
export class CallHistory {
  #earlier = none;
  #isQueued = false;
  #isSent = false;
  #readMeta: (() => ResponseMeta) | undefined;

  /** The attempts before the current one. */
  get earlier(): EarlierAttempts {
    return this.#earlier;
  }

  /** Number of attempts that have ended. */
  get attempts(): number {
    return this.#earlier.retries + this.#earlier.slotRejections;
  }

  /** Whether the call is waiting for a concurrency slot. */
  get isQueued(): boolean {
    return this.#isQueued;
  }

  /** Metadata of the current response, once it has arrived. */
  get meta(): ResponseMeta | undefined {
    return this.#readMeta?.();
  }

  /** The outcome of an attempt that is interrupted now. */
  get interruptedOutcome(): Outcome {
    return this.#isSent ? 'unknown' : 'not-sent';
  }

  /** The attempt waits for a concurrency slot. */
  beginQueueing(): void {
    this.#isQueued = true;
  }

  /** The attempt has a slot, or has given up. */
  endQueueing(): void {
    this.#isQueued = false;
  }

  /** The attempt is handed to `fetch`. */
  markSent(): void {
    this.#isSent = true;
  }

  /** The response to the attempt has arrived. `readMeta` parses its metadata, which most calls never need. */
  recordResponse(readMeta: () => ResponseMeta): void {
    this.#readMeta = readMeta;
  }

  /** The attempt has failed, and another one follows. */
  endAttempt(retry: Retry): void {
    this.#earlier = withAttempt(this.#earlier, retry, this.meta);
    this.#readMeta = undefined;
    this.#isSent = false;
  }
}

function withAttempt(
  earlier: EarlierAttempts,
  { failure, slotRejection }: Retry,
  meta: ResponseMeta | undefined,
): EarlierAttempts {
  return {
    retries: earlier.retries + (slotRejection ? 0 : 1),
    slotRejections: earlier.slotRejections + (slotRejection ? 1 : 0),
    slotRejection: slotRejection ?? earlier.slotRejection,
    outcome: combineOutcomes(earlier.outcome, failure.outcome),
    taskMeta: meta?.taskId ? meta : earlier.taskMeta,
  };
}

import type { Outcome } from '../../../errors/base.ts';
import type { ConcurrencyLimitError } from '../../../errors/status.ts';
import type { ChatCompletion } from '../../../types/chat/completion.ts';
import type { ResponseMeta } from '../../../types/meta.ts';
import type { SlotLease } from '../../limits/slot-lease.ts';
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

/** What has happened in a call so far. Nothing else about a call changes. */
export class CallHistory {
  /** The attempts before the current one. */
  earlier: EarlierAttempts = none;
  /** The slot of the current attempt. */
  lease: SlotLease | undefined;
  /** Whether the call is waiting for a concurrency slot. */
  isQueued = false;
  /** Whether the current attempt was handed to `fetch`. */
  isSent = false;
  /** Parses the metadata of the current response, once it has arrived. */
  readMeta: (() => ResponseMeta) | undefined;
  /** Returns the completion that a stream has accumulated so far. */
  partial: (() => ChatCompletion | undefined) | undefined;
  /** The credentials that were sent. They are removed from every message, in case the service repeats them. */
  authorization: string | undefined;

  /** Number of attempts that have ended. */
  get attempts(): number {
    return this.earlier.retries + this.earlier.slotRejections;
  }

  /** Metadata of the current response, once it has arrived. */
  get meta(): ResponseMeta | undefined {
    return this.readMeta?.();
  }

  /** The outcome of an attempt that is interrupted now. */
  get interruptedOutcome(): Outcome {
    return this.isSent ? 'unknown' : 'not-sent';
  }

  /** Ends an attempt after which another one follows. */
  endAttempt(retry: Retry): void {
    this.earlier = withAttempt(this.earlier, retry, this.meta);
    this.readMeta = undefined;
    this.isSent = false;
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

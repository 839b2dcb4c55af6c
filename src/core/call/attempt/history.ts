import type { Outcome } from '../../../errors/base.ts';
import type { ConcurrencyLimitError } from '../../../errors/status.ts';
import type { ChatCompletion } from '../../../types/chat/completion.ts';
import type { ResponseMeta } from '../../../types/meta.ts';
import type { SlotLease } from '../../limits/slot-lease.ts';
import { combineOutcomes } from '../failure/retry.ts';

/** What has happened in a call so far. Nothing else about a call changes. */
export class CallHistory {
  /** Number of retries, without those after a rejection for lack of a slot. */
  retries = 0;
  /** Number of retries after a rejection for lack of a slot. */
  slotRejections = 0;
  /** The error of the last of these rejections. */
  slotRejection: ConcurrencyLimitError | undefined;
  /** Whether the call is waiting for a concurrency slot. */
  isQueued = false;
  /** The slot of the current attempt. */
  lease: SlotLease | undefined;
  /** Whether the current attempt was handed to `fetch`. */
  isSent = false;
  /** Parses the metadata of the current response, once it has arrived. */
  readMeta: (() => ResponseMeta) | undefined;
  /** Returns the completion that a stream has accumulated so far. */
  partial: (() => ChatCompletion | undefined) | undefined;
  /** The credentials that were sent. They are removed from every message, in case the service repeats them. */
  authorization: string | undefined;
  /** Metadata of an earlier attempt that named the task. */
  taskMeta: ResponseMeta | undefined;
  /** Combined outcome of the earlier attempts. */
  previousOutcome: Outcome = 'not-sent';

  /** Number of attempts that have ended. */
  get attempts(): number {
    return this.retries + this.slotRejections;
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
  endAttempt(outcome: Outcome): void {
    this.previousOutcome = combineOutcomes(this.previousOutcome, outcome);
    const { meta } = this;
    if (meta?.taskId) this.taskMeta = meta;
    this.readMeta = undefined;
    this.isSent = false;
  }
}

import type { AttemptObserver } from '../../call/call.ts';
import type { RequestOptions } from '../../call/request-options.ts';
import type { Task } from '../../tasks/task.ts';
import type { Intent, JournalLine } from '../journal/line.ts';
import type { CostFields } from '../journal/row-cost.ts';
import type { RowOutcome } from '../results.ts';
import type { ChargeReport } from '../run/counted-charge.ts';
import type { Priced } from '../run/prices.ts';

/** What a row sends: the submission of a task or a chat. */
export interface RowSubmission<Accepted> extends Priced {
  /** What is recorded before it is sent. */
  readonly intent: Intent;
  /** Set if an earlier run has recorded it, and may have sent it under its key. */
  readonly recordedBy?: 'earlier-run' | undefined;
  send(options: RequestOptions, observer: AttemptObserver): Promise<Accepted>;
}

/** How a row starts: with what an earlier run has received for it, or with a submission. */
export type RowStart<Accepted> =
  | { readonly accepted: Accepted }
  | { readonly submission: RowSubmission<Accepted> };

/**
 * How a row continues from what earlier runs recorded, and in what tasks and chats differ. `Accepted` is what proves that a
 * submission was charged: the task, or the completion.
 */
export interface RowPlan<Accepted> {
  readonly start: RowStart<Accepted>;
  /** The signal of the submission, as its caller passed it. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the service charges a submission once under its key, however often it is sent. If not, the intent is recorded
   * at the last moment, when the request has a concurrency slot: after a crash, a row with an intent is not sent again.
   */
  readonly isChargedOnce: boolean;
  /** What the response says about the charge of the submission. */
  chargeOf(accepted: Accepted): ChargeReport;
  /** The task, if the row is one. */
  taskOf(accepted: Accepted): Task | undefined;
  /** The journal line that makes `accepted` durable; undefined if nothing could be found with it. */
  toLine(id: string, accepted: Accepted, cost: CostFields): JournalLine | undefined;
  /** The result of the row. */
  finish(accepted: Accepted, signal: AbortSignal): Promise<RowOutcome>;
}

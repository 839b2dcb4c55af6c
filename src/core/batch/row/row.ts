/**
 * The life of a row in one run:
 *
 *     identified -> planned -> recorded -> accepted -> finished
 *                                recorded -> refused -> identified, in the next run
 *                     planned -> accepted, if an earlier run has left its task or completion
 *
 * What is durable in each state, and what the next run does if the process dies in it:
 *
 * - identified, planned: nothing. Nothing was sent, so the row starts over.
 * - recorded: the `submit` line. Whether the request was sent is unknown. A task is sent again under the same key: the
 *   service returns the task of that key if there is one, and charges only once. A chat has no such key, so its row is
 *   unknown from then on, and is sent again only with `resendUnknown`.
 * - refused: the `refused` line. Nothing was charged, so the row starts over, even if its params have changed. If the line
 *   is `paused`, a 402 or a budget is the only reason, and `recover` submits a task if its params are stored.
 * - accepted: the `accepted` line of a task or the `completed` line of a chat. The row waits for the task of its receipt, or
 *   has its completion. If the line was lost, the row is recorded.
 * - finished: the `finished` line, which follows when the caller has taken the result. `recover` skips the row, and a batch
 *   that is run again yields it again.
 *
 * If a step throws, the state that the row has reached decides whether its result is `failed` or `unknown`: see
 * `isFinalError` in charge-rules.ts.
 */
import type { Task } from '../../tasks/task.ts';
import { noCost } from '../journal/row-cost.ts';
import type { RowCost } from '../journal/row-cost.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import type { RowHistory } from '../journal/row-history.ts';
import type { ChargeFacts } from './charge-rules.ts';

/** A row of a batch or a recovery, and the state that it has reached. `submit-row.ts` and `run-row.ts` change it. */
export class Row {
  /** Its id, or its position while it has no valid id. */
  id: string;
  /** What earlier runs recorded about it. */
  history: RowHistory = {};
  /** Key of its submission, if it has one: from planned on, or earlier if an earlier run has recorded it. */
  idempotencyKey: string | undefined;
  /** What it has cost in all runs. */
  cost: RowCost = noCost;
  /** The part of the estimates that belongs to the submission in progress: between planned and accepted or refused. */
  reservedUsd: number | undefined;
  /** Whether this run has recorded the submission: from recorded on, but not if an earlier run has recorded it. */
  isRecorded = false;
  /** Whether this run has sent a submission that the service may have accepted. Possible in each state from recorded on. */
  isSent = false;
  /** The task of the row, from accepted on. Chats have none. */
  task: Task | undefined;
  /** Whether its end may be recorded: from accepted on, if the journal leads to its task or its completion. */
  isEndRecordable = false;
  #controller: AbortController | undefined;

  constructor(id: string, history: RowHistory = {}) {
    this.id = id;
    this.identify(id, history);
  }

  /** Sets what is known about the row before this run does anything for it. */
  identify(id: string, history: RowHistory): void {
    this.id = id;
    this.history = history;
    // Without a readable `submit` line, the receipt still has the key.
    this.idempotencyKey = history.key ?? history.receipt?.idempotencyKey;
    this.cost = history.cost ?? noCost;
  }

  /** Aborts what the row waits for. Created when the row starts: a recovery knows all rows in advance. */
  get controller(): AbortController {
    return (this.#controller ??= new AbortController());
  }

  /** What decides whether an error of the row is final. */
  get chargeFacts(): ChargeFacts {
    return {
      hasTask: this.task !== undefined,
      mayBeCharged: mayBeCharged(this.history),
      isRecorded: this.isRecorded,
    };
  }
}

import { BudgetExceededError } from '../../../errors/budget.ts';
import type { ConfigurationError } from '../../../errors/configuration.ts';
import { PaymentRequiredError } from '../../../errors/status.ts';
import type { Log } from '../../config/log.ts';
import { sentence } from '../../http/json.ts';
import { emptyMeta } from '../../http/response-meta.ts';

/** Why a run pauses: a 402, a budget that has no room for the next row, or a journal that is not safe for chats. */
export type PauseReason = PaymentRequiredError | BudgetExceededError | ConfigurationError;

/**
 * Whether a pause keeps a row from being sent that has not been sent yet:
 *
 *     reason         row is planned   row is recorded
 *     -------------  ---------------  ------------------------------
 *     402, journal   yes              yes
 *     budget         yes              no: its price is reserved in it
 */
export function keepsBack(reason: PauseReason, state: 'planned' | 'recorded'): boolean {
  return state === 'planned' || !BudgetExceededError.is(reason);
}

/**
 * The pause of a run, which begins at the first 402 or when a budget is reached, and lasts until the run ends. It keeps back
 * rows that are not sent. Submissions that are in flight continue, because they may be accepted.
 */
export class Pause {
  readonly #log: Log;
  readonly #beginsAtBudget: boolean;
  #reason: PauseReason | undefined;
  /** Rows whose request has not been sent. A listener on one signal for each would cause a warning in Node 20. */
  readonly #unsent = new Set<AbortController>();

  /** `beginsAtBudget`: it begins at a budget, too, and not only at a 402. */
  constructor({ log, beginsAtBudget }: { log: Log; beginsAtBudget: boolean }) {
    this.#log = log;
    this.#beginsAtBudget = beginsAtBudget;
  }

  /** Why rows are kept back; undefined before the pause. */
  get reason(): PauseReason | undefined {
    return this.#reason;
  }

  /**
   * Whether an error of a row is the reason of the pause, or begins it. If so, nothing else kept the row from being
   * submitted: its result is not final and is not yielded, and the next run submits the row. A row that may have been
   * charged in this run is not among them: without a journal, its key is only in its result.
   */
  isReason(error: unknown): error is PauseReason {
    if (error !== undefined && error === this.#reason) return true;
    const isBudget = this.#beginsAtBudget && BudgetExceededError.is(error);
    if (!isBudget && !PaymentRequiredError.is(error)) return false;
    // An error with a task is about a task that was paid for: that of the row, or one that a callback submitted itself.
    return !error.task && error.outcome !== 'unknown';
  }

  /** Begins the pause, and aborts the rows that wait for a slot if it keeps them back. Has no effect on a run that is paused. */
  begin(reason?: PauseReason): void {
    if (this.#reason) return;
    const details = { meta: emptyMeta(402), outcome: 'not-sent' as const };
    const begun =
      reason && !PaymentRequiredError.is(reason)
        ? reason
        : new PaymentRequiredError('402', details);
    this.#reason = begun;
    // A planned row at a budget ends when it would be recorded.
    const abortsWaiting = keepsBack(begun, 'recorded');
    if (abortsWaiting) for (const row of this.#unsent) row.abort(begun);
    const summary = PaymentRequiredError.is(begun) ? '402' : begun.message;
    const kept = abortsWaiting ? 'are submitted' : 'are submitted but those with a reservation';
    this.#log.warn(() => `Pausing: no further rows ${kept}. Reason: ${sentence(summary)}`);
  }

  /** Why a row in this state is kept back; undefined if it is not. */
  reasonToKeepBack(state: 'planned' | 'recorded'): PauseReason | undefined {
    return this.#reason && keepsBack(this.#reason, state) ? this.#reason : undefined;
  }

  /** Lets the pause abort a row during the `work` that submits it, but not while its request is in flight. */
  async whileUnsent<Accepted>(
    row: AbortController,
    work: () => Promise<Accepted>,
  ): Promise<Accepted> {
    this.addUnsent(row);
    try {
      return await work();
    } finally {
      this.removeUnsent(row);
    }
  }

  /** The row waits, and its request has not been sent, or was certainly rejected. */
  addUnsent(row: AbortController): void {
    this.#unsent.add(row);
    const reason = this.reasonToKeepBack('recorded');
    if (reason) row.abort(reason);
  }

  /** The request of the row has been sent, or never will be. */
  removeUnsent(row: AbortController): void {
    this.#unsent.delete(row);
  }
}

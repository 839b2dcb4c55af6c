import type { ConfigurationError } from '../../../errors/base.ts';
import { BudgetExceededError } from '../../../errors/call.ts';
import { PaymentRequiredError } from '../../../errors/responses.ts';
import type { Log } from '../../config/log.ts';
import { sentence } from '../../http/json.ts';
import { emptyMeta } from '../../http/response-meta.ts';
import type { RowState } from '../row/row.ts';

/** Why a run pauses: a 402, a budget that has no room for the next row, or a journal that is not safe for chats. */
export type PauseReason = PaymentRequiredError | BudgetExceededError | ConfigurationError;

/**
 * Whether a pause keeps back a row in this state:
 *
 *     reason         planned  recorded                         sent or later
 *     -------------  -------  -------------------------------  ----------------------------
 *     402, journal   yes      yes                              no: it may have been charged
 *     budget         yes      no: its price is reserved in it  no
 */
export function keepsBack(reason: PauseReason, state: RowState): boolean {
  return state === 'planned' || (state === 'recorded' && !BudgetExceededError.is(reason));
}

/** A row that is being submitted, as the pause sees it. */
interface Submitting {
  readonly state: RowState;
  readonly controller: AbortController;
}

/**
 * The pause of a run, which begins at the first 402 or when a budget is reached, and lasts until the run ends. It keeps back
 * rows that are not sent. Submissions that are in flight continue, because they may be accepted.
 */
export class Pause {
  readonly #log: Log;
  readonly #beginsAtBudget: boolean;
  #reason: PauseReason | undefined;
  /** A set, because Node 20 warns of a leak if a signal has a listener for each of many rows. */
  readonly #submitting = new Set<Submitting>();

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

  /** Begins the pause, and aborts the rows that it keeps back. Has no effect on a run that is paused. */
  begin(reason?: PauseReason): void {
    if (this.#reason) return;
    const begun = reason && !PaymentRequiredError.is(reason) ? reason : newPaymentRequired();
    this.#reason = begun;
    for (const row of this.#submitting) this.keepBack(row);
    const summary = PaymentRequiredError.is(begun) ? '402' : begun.message;
    const kept = keepsBack(begun, 'recorded')
      ? 'are submitted'
      : 'are submitted but those with a reservation';
    this.#log.warn(() => `Pausing: no further rows ${kept}. Reason: ${sentence(summary)}`);
  }

  /** Keeps back a row during the work that submits it, whenever its state allows. */
  async whileSubmitting<Accepted>(
    row: Submitting,
    submit: () => Promise<Accepted>,
  ): Promise<Accepted> {
    this.#submitting.add(row);
    try {
      this.keepBack(row);
      return await submit();
    } finally {
      this.#submitting.delete(row);
    }
  }

  /** Aborts the row if the pause keeps it back. Called when its state becomes one in which that is possible. */
  keepBack({ state, controller }: Submitting): void {
    if (this.#reason && keepsBack(this.#reason, state)) controller.abort(this.#reason);
  }
}

/** The reason of a pause at a 402. The error that the service has responded with describes the request of one row. */
function newPaymentRequired(): PaymentRequiredError {
  return new PaymentRequiredError('402', { meta: emptyMeta(402), outcome: 'not-sent' });
}

import { roundUsd } from '../../paid/amounts.ts';
import { isUncharged, isVoid } from '../../paid/failed-call.ts';
import { estimatedUnits } from '../../paid/prices.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import { isUnpaid, verdictOf } from '../../paid/verdict.ts';
import type { AttemptObserver } from '../call/api-request.ts';
import { slotRejectionOf, verdictOfFailure } from './charge-rules.ts';
import type { RowLine } from './journal-line.ts';
import {
  costNotRecordedError,
  notRecordedError,
  stoppedError,
  toRowError,
  unsentError,
} from './row-errors.ts';
import { noCost, toCostFields, toSettledFields } from './row-history.ts';
import type { RowPlan, RowSubmission } from './row-plan.ts';
import type { Row } from './row.ts';
import { staysLocked } from './run.ts';
import type { RunContext } from './run.ts';

/** A row that is being submitted. */
export class SubmittingRow<Accepted> {
  readonly #row: Row;
  readonly #plan: RowPlan<Accepted>;
  readonly #submission: RowSubmission<Accepted>;
  readonly #context: RunContext;
  /** Its cost as of its latest line. */
  #recorded = noCost;
  /** Resolves when the cost of lost attempts was written, or could not be. */
  #recording: Promise<unknown> = Promise.resolve();
  /** Whether its end is recorded, so that a later charge has its own line. */
  #hasEnded = false;
  /** What it pays for, if its price is known. */
  #units: PricedUnits | undefined;

  constructor(
    row: Row,
    plan: RowPlan<Accepted>,
    submission: RowSubmission<Accepted>,
    context: RunContext,
  ) {
    this.#row = row;
    this.#plan = plan;
    this.#submission = submission;
    this.#context = context;
  }

  /** Reserves the price of the row, records its intent, sends it, and records what the service has accepted. */
  async submit(): Promise<Accepted> {
    const row = this.#row;
    const plan = this.#plan;
    const { budget, journal, pause } = this.#context;
    const { intent, recordedBy } = this.#submission;
    // An earlier run may have sent it, so a budget that has no room for new rows does not keep it back.
    if (recordedBy) row.record();
    const accepted = await pause.whileSubmitting(row, () => this.#reserveAndSend());
    const verdict = plan.verdictOf(accepted);
    const isChargeKnown = budget.accept(row, verdict);
    const cost = toSettledFields(row.cost, isChargeKnown);
    const line = plan.toLine(row.id, accepted, cost);
    this.#hasEnded = true;
    const isDurable = !line || (await this.#append(line));
    if (isDurable || plan.isChargedOnce) row.makeDurable();
    if (verdict.replay && plan.isChargedOnce) await journal.checkParams(row, intent);
    return accepted;
  }

  /** Reserves the price, and sends the row until it is accepted. If that fails, settles the reservation. */
  async #reserveAndSend(): Promise<Accepted> {
    const row = this.#row;
    await this.#reservePrice();
    try {
      const accepted = await this.#recordAndSend();
      row.accept(this.#plan.taskOf(accepted));
      return accepted;
    } catch (thrown) {
      const error = toRowError(thrown, row.controller.signal, this.#context.pause.reason);
      await this.#settleFailure(error);
      throw error;
    }
  }

  /** Reserves the price, or what an earlier run has. If that run did not know it, the submission is unpriced until now. */
  async #reservePrice(): Promise<void> {
    const row = this.#row;
    const { recordedBy, intent, models, estimateUsd } = this.#submission;
    const { path } = intent;
    const { budget, priceOf } = this.#context;
    const { estimatedUsd } = row.cost;
    if (recordedBy && (budget.isFree(row) || estimatedUsd > 0)) {
      this.#units = row.history.units;
      // What is free does not cost what others of its class or its route do.
      const ofRoute = { priceClass: path, units: 1 };
      const units = estimatedUsd > 0 ? (this.#units ?? ofRoute) : undefined;
      return budget.reserve(row, { path, price: estimatedUsd, units, repeated: 'reserved' });
    }
    const price = await priceOf(this.#submission);
    this.#units =
      price === undefined ? undefined : estimatedUnits([path, models], price, estimateUsd);
    const repeated = recordedBy && !row.charges.isKnown ? 'unpriced' : undefined;
    return budget.reserve(row, { path, price, units: this.#units, repeated });
  }

  async #recordAndSend(): Promise<Accepted> {
    const row = this.#row;
    const { budget, chats } = this.#context;
    const { isChargedOnce } = this.#plan;
    let recording: Promise<void> | undefined;
    const recordOnce = () => (recording ??= this.#recordIntent());
    try {
      const { recordedBy } = this.#submission;
      if (recordedBy) await this.#recordAgain();
      else if (isChargedOnce) await recordOnce();
      return await this.#sendWhenSlotFree(async (isResent) => {
        await this.#recordCharges(isResent);
        // What an earlier run may have sent is reserved, whatever the budget covers now.
        const isKept = recordedBy && !isResent && budget.isProtected(row);
        if (!isKept) budget.recheck(row, isResent);
        if (!isChargedOnce) await recordOnce();
      });
    } catch (error) {
      // A time limit can end the call while its intent is being written. Only then is it known what has to be taken back.
      await recording?.catch(() => undefined);
      throw error;
    } finally {
      chats.remove(row);
    }
  }

  /** Makes the submission durable before it is sent. If the line cannot be written, nothing is sent. */
  async #recordIntent(): Promise<void> {
    const { signal } = this.#row.controller;
    if (signal.aborted) throw unsentError(signal.reason);
    this.#recorded = this.#row.cost;
    await this.#context.journal.append(this.#submitLine).catch((error: unknown) => {
      throw notRecordedError(error);
    });
    this.#row.record();
  }

  /**
   * Records that this run sends what an earlier one has recorded. Without this line, an earlier run that is still alive
   * could take back the only one: if its own request is rejected, it appends a `refused` line.
   */
  async #recordAgain(): Promise<void> {
    this.#recorded = this.#row.cost;
    if (!this.#row.controller.signal.aborted) await this.#append(this.#submitLine);
  }

  /** Before anything is sent, all charges of the run so far are recorded. If that fails, it sends nothing more. */
  async #recordCharges(isResent: boolean): Promise<void> {
    const { journal, pause } = this.#context;
    await this.#recording;
    await journal.writeCharges().catch(({ cause }: Error) => {
      // It has no outcome: rows that the pause keeps back were not charged.
      pause.begin(stoppedError(cause));
      throw isResent ? costNotRecordedError() : unsentError(pause.reason);
    });
  }

  get #submitLine() {
    const { id, cost } = this.#row;
    const fields = { ...this.#submission.intent, units: this.#units, ...toCostFields(cost) };
    return { type: 'submit', id, ...fields } as const;
  }

  /**
   * Sends the row, repeatedly until the service has a free concurrency slot. A single request gives up after
   * `maxQueueTime` or `totalTimeout`. A batch does not: if running tasks occupy the slots (assumption A14), each row has to
   * wait until earlier tasks end.
   */
  async #sendWhenSlotFree(beforeAttempt: (isResent: boolean) => Promise<void>): Promise<Accepted> {
    const row = this.#row;
    const { config, pause, enter, chats, budget } = this.#context;
    const { idempotencyKey, controller } = row;
    const { signal } = controller;
    const markUnsent = () => {
      row.markUnsent();
      pause.keepBack(row);
    };
    let isResent = false;
    const observer: AttemptObserver = {
      beforeAttempt: () => beforeAttempt(isResent),
      onSend: () => {
        row.markSent();
        if (!this.#plan.isChargedOnce) chats.add(row);
      },
      onResponse: (meta, isLate) => {
        if (meta.status === 402) pause.begin();
        budget.addCharge(row, verdictOf(meta), isLate);
        if (this.#hasEnded) void this.#recordLoss();
      },
      mayRetry: () => budget.mayRetry(row),
      // Attempts that were certainly rejected count as unsent.
      onRetry: (outcome, error) => {
        row.charges.fail(error);
        isResent ||= outcome === 'unknown';
        if (isResent) void this.#recordLoss();
        else markUnsent();
        chats.removeBeforeRetry(row);
      },
    };
    for (;;) {
      try {
        return await enter(() => this.#submission.send({ idempotencyKey, signal }, observer));
      } catch (error) {
        const rejection = config.concurrency === false ? undefined : slotRejectionOf(error);
        // If an earlier attempt may have been charged, that is reported instead of retrying.
        const mayRetry = rejection !== undefined && rejection.outcome !== 'unknown';
        if (mayRetry || isUncharged(error)) markUnsent();
        if (!mayRetry) throw error;
        row.charges.fail(error);
        chats.removeBeforeRetry(row);
        // A row that found no free slot waits at least a second.
        await config.clock.sleep(Math.max(1_000, rejection.retryAfterMs ?? 0), signal);
      }
    }
  }

  /** Settles the reservation of a failed submission, and takes its `submit` line back if it was certainly not charged. */
  async #settleFailure(error: Error): Promise<void> {
    const row = this.#row;
    const { budget, journal, pause } = this.#context;
    const thisRun = row.state === 'planned' ? undefined : 'this-run';
    // The service says that what an earlier run has sent was not charged, either.
    const isFreed = isVoid(error);
    const { isChargedOnce } = this.#plan;
    // A damaged line may be that of an earlier submission under its key.
    const isDamaged = thisRun && isChargedOnce && journal.contents.isIncompleteFor(row.history);
    const earlier = this.#submission.recordedBy ?? (isDamaged ? 'earlier-run' : undefined);
    const recordedBy = isFreed ? thisRun : (earlier ?? thisRun);
    const verdict = verdictOfFailure({ recordedBy, isChargedOnce }, error);
    row.charges.fail(error);
    // What is reserved after a charge is for the attempts that follow it.
    budget.settle(row, row.charges.isKnown ? 'none' : verdict.money);
    this.#hasEnded = true;
    if (!isUnpaid(verdict)) {
      const recording = this.#recordLoss();
      // Any other aborted run does not wait for the lines of its tasks.
      const { aborted } = row.controller.signal;
      if (!aborted || staysLocked(this.#plan, this.#context)) await recording;
      return;
    }
    if (!recordedBy) return;
    const paused = pause.isReason(error) || undefined;
    const fields = { paused, void: isFreed || undefined, ...toCostFields(row.cost) };
    await this.#append({ type: 'refused', id: row.id, ...fields });
  }

  /** Records what lost attempts have cost or may have cost, if that is not what its latest line says. */
  async #recordLoss(): Promise<void> {
    if (JSON.stringify(this.#row.cost) !== JSON.stringify(this.#recorded)) {
      this.#recording = this.#append({ ...this.#submitLine, lost: true });
    }
    await this.#recording;
  }

  /** Appends a line with the cost of the row. Returns whether it is durable. */
  #append(line: RowLine): Promise<boolean> {
    const { cost } = this.#row;
    const usd = roundUsd(cost.chargedUsd - this.#recorded.chargedUsd);
    this.#recorded = cost;
    if (usd > 0) return this.#context.journal.appendCharge(line, usd);
    const ifLost = this.#plan.isChargedOnce
      ? 'the row may be resent with the same key'
      : 'later runs will not know the outcome of the row';
    return this.#context.journal.tryAppend(line, ifLost);
  }
}

import { isUncharged, isVoid } from '../../paid/failed-call.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import { isUnpaid, verdictOf } from '../../paid/verdict.ts';
import type { AttemptObserver } from '../call/api-request.ts';
import { forwardAbort } from '../config/clock.ts';
import { unitsOf } from './budget-decisions.ts';
import { failedRow, slotRejectionOf, verdictOfFailure } from './charge-rules.ts';
import { isChatPath } from './journal-line.ts';
import type { JournalLine } from './journal-line.ts';
import type { RowResult } from './results.ts';
import { costNotRecordedError, notRecordedError, toRowError, unsentError } from './row-errors.ts';
import { noCost, toCostFields, toSettledFields } from './row-history.ts';
import type { RowPlan, RowSubmission } from './row-plan.ts';
import type { Row } from './row.ts';
import { staysLocked } from './run.ts';
import type { RunContext } from './run.ts';

/**
 * Takes a row through all its states: see row.ts. Ends early when its controller aborts, and never rejects. `makePlan`
 * identifies and plans the row. `onAccepted` is called when it has a task or a completion, and waits only for its result.
 */
export async function runRow<Accepted>(
  row: Row,
  context: RunContext,
  makePlan: () => Promise<RowPlan<Accepted>>,
  onAccepted: () => void,
): Promise<RowResult> {
  const { pause } = context;
  const { signal } = row.controller;
  let stopListening: (() => void) | undefined;
  try {
    const plan = await makePlan();
    stopListening = forwardAbort(plan.signal, row.controller);
    const accepted = await accept(row, plan, context);
    onAccepted();
    return { ...identityOf(row), ...(await plan.finish(accepted, signal)) };
  } catch (thrown) {
    const error = toRowError(thrown, signal, pause.reason);
    const isPauseReason = pause.isReason(error);
    // A callback can receive a 402, too, for example for a chat request that writes the row's prompt.
    if (isPauseReason) pause.begin(error);
    // The earlier submission decides: the plan may be another kind of request, or may have failed.
    const isChargedOnce = !isChatPath(row.history.path);
    const { chargeFacts } = row;
    const isOpen = chargeFacts.mayBeCharged || context.journal.isIncompleteFor(row.history);
    const mayBeCharged = isOpen && !(chargeFacts.isRecorded && isVoid(error));
    const facts = { ...chargeFacts, mayBeCharged, isChargedOnce, isPauseReason };
    return { ...identityOf(row), ...failedRow(facts, error) };
  } finally {
    stopListening?.();
  }
}

/** The part of a result that does not depend on how the row ended. */
function identityOf({ id, idempotencyKey, task }: Row) {
  return { id, idempotencyKey, task };
}

/** Returns what an earlier run has received for the row, or submits it. */
async function accept<Accepted>(
  row: Row,
  plan: RowPlan<Accepted>,
  context: RunContext,
): Promise<Accepted> {
  const { start } = plan;
  if ('accepted' in start) {
    row.resume(plan.taskOf(start.accepted));
    return start.accepted;
  }
  row.setKey(start.submission.intent.key);
  const accepted = new SubmittingRow(row, plan, start.submission, context).submit();
  if (!staysLocked(plan, context)) return accepted;
  context.sending.add(accepted);
  void accepted.catch(() => {}).then(() => context.sending.delete(accepted));
  return accepted;
}

/** A row that is being submitted. */
class SubmittingRow<Accepted> {
  readonly #row: Row;
  readonly #plan: RowPlan<Accepted>;
  readonly #submission: RowSubmission<Accepted>;
  readonly #context: RunContext;
  /** Its cost as of its latest `submit` line. */
  #recorded = noCost;
  /** Resolves when the cost of lost attempts was written, or could not be: false. */
  #recording = Promise.resolve(true);
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
    if (!line || (await this.#tryAppend(line)) || plan.isChargedOnce) row.makeDurable();
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
    const { recordedBy, intent } = this.#submission;
    const { path } = intent;
    const { budget, priceOf } = this.#context;
    const { estimatedUsd } = row.cost;
    if (recordedBy && (budget.isFree(row) || estimatedUsd > 0)) {
      this.#units = row.history.units;
      // What is free does not cost what others of its class do.
      const units = estimatedUsd > 0 ? this.#units : undefined;
      return budget.reserve(row, { path, price: estimatedUsd, units, repeated: 'reserved' });
    }
    const price = await priceOf(this.#submission);
    this.#units = price === undefined ? undefined : unitsOf(this.#submission, path, price);
    const repeated = recordedBy && 'unpriced';
    return budget.reserve(row, { path, price, units: this.#units, repeated });
  }

  async #recordAndSend(): Promise<Accepted> {
    const { isChargedOnce } = this.#plan;
    let recording: Promise<void> | undefined;
    const recordOnce = () => (recording ??= this.#recordIntent());
    try {
      const { recordedBy } = this.#submission;
      if (recordedBy) await this.#recordAgain();
      else if (isChargedOnce) await recordOnce();
      return await this.#sendWhenSlotFree(async (isResent) => {
        if (isResent && !(await this.#recording)) throw costNotRecordedError();
        // What an earlier run may have sent is reserved, whatever the budget covers now.
        if (!recordedBy || isResent) this.#context.budget.recheck(this.#row, isResent);
        if (!isChargedOnce) await recordOnce();
      });
    } catch (error) {
      // A time limit can end the call while its intent is being written. Only then is it known what has to be taken back.
      await recording?.catch(() => undefined);
      throw error;
    } finally {
      this.#context.chats.remove(this.#row);
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
    if (!this.#row.controller.signal.aborted) await this.#tryAppend(this.#submitLine);
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
      },
      mayRetry: () => budget.mayRetry(row),
      // Attempts that were certainly rejected count as unsent.
      onRetry: (outcome) => {
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
    const isDamaged = thisRun && isChargedOnce && journal.isIncompleteFor(row.history);
    const earlier = this.#submission.recordedBy ?? (isDamaged ? 'earlier-run' : undefined);
    const recordedBy = isFreed ? thisRun : (earlier ?? thisRun);
    const verdict = verdictOfFailure({ recordedBy, isChargedOnce }, error);
    budget.settle(row, verdict.money);
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
    await this.#tryAppend({ type: 'refused', id: row.id, ...fields });
  }

  /** Records what lost attempts have cost or may have cost, if that is not what the latest `submit` line says. */
  async #recordLoss(): Promise<void> {
    const { cost } = this.#row;
    const before = this.#recorded;
    if (JSON.stringify(cost) === JSON.stringify(before)) return void (await this.#recording);
    this.#recorded = cost;
    this.#recording = this.#tryAppend({ ...this.#submitLine, lost: true });
    // The next line about it has the cost as well.
    if (!(await this.#recording)) this.#recorded = before;
  }

  #tryAppend(line: JournalLine): Promise<boolean> {
    const ifLost = this.#plan.isChargedOnce
      ? 'the row may be resent with the same key'
      : 'later runs will not know the outcome of the row';
    return this.#context.journal.tryAppend(line, ifLost);
  }
}

import { toCostFields, toSettledFields } from '../journal/row-cost.ts';
import { unpricedSubmits } from '../journal/row-history.ts';
import { notRecordedError, toRowError, unsentError } from '../row-errors.ts';
import type { ReservedPrice } from '../run/batch-budget.ts';
import type { RowContext } from '../run/context.ts';
import { countedCharge, countedFailure } from '../run/counted-charge.ts';
import { afterFailure } from './charge-rules.ts';
import type { RowPlan, RowSubmission } from './row-plan.ts';
import type { Row } from './row.ts';
import { sendWhenSlotFree } from './send-when-slot-free.ts';

/** A row that is being submitted. */
interface SubmittingRow<Accepted> {
  readonly row: Row;
  readonly plan: RowPlan<Accepted>;
  readonly submission: RowSubmission<Accepted>;
}

/** Submits a row: reserves its price, records its intent, sends it, and records what the service has accepted. */
export async function submitRow<Accepted>(
  submitting: SubmittingRow<Accepted>,
  context: RowContext,
): Promise<Accepted> {
  const { row, plan, submission } = submitting;
  const { journal, budget, pause } = context;
  // An earlier run may have sent it, so a budget that has no room for new rows does not keep it back.
  if (submission.recordedBy) row.record();
  const { accepted, reserved } = await pause.whileSubmitting(row, () =>
    reserveAndSend(submitting, context),
  );
  const counted = countedCharge({ ...plan.chargeOf(accepted), isReplayPaid: true });
  budget.settle(row, reserved, counted);
  const cost = toSettledFields(row.cost, counted.counts === 'charge');
  const line = plan.toLine(row.id, accepted, cost);
  const isAppended = !line || (await journal.tryAppend(line, ifLost(plan)));
  if (isAppended || plan.isChargedOnce) row.makeDurable();
  return accepted;
}

/** Reserves the price of a row, and sends it until it is accepted. If that fails, settles the reservation. */
async function reserveAndSend<Accepted>(
  submitting: SubmittingRow<Accepted>,
  context: RowContext,
): Promise<{ readonly accepted: Accepted; readonly reserved: ReservedPrice }> {
  const { row, plan } = submitting;
  const reserved = await reservePrice(submitting, context);
  try {
    const accepted = await recordAndSend(submitting, context);
    row.accept(plan.taskOf(accepted));
    return { accepted, reserved };
  } catch (thrown) {
    const { signal } = row.controller;
    const error = toRowError(thrown, { signal, pauseReason: context.pause.reason });
    await settleFailure(submitting, { reserved, error }, context);
    throw error;
  }
}

/**
 * Reserves the price of a row, unless an earlier run has reserved it for the same submission. If that run did not know it, the
 * submission is counted as unpriced until now.
 */
async function reservePrice(
  { row, submission }: SubmittingRow<unknown>,
  { budget, priceOf }: RowContext,
): Promise<ReservedPrice> {
  const { recordedBy, intent } = submission;
  const { path } = intent;
  if (recordedBy && row.cost.estimatedUsd > 0) return budget.adopt(row, path);
  const repeats = recordedBy ? unpricedSubmits(row.history) : 0;
  const price = await priceOf(submission);
  return budget.reserve(row, { price, path, signal: row.controller.signal, repeats });
}

/** Records a submission, and sends it. */
async function recordAndSend<Accepted>(
  { row, plan, submission }: SubmittingRow<Accepted>,
  context: RowContext,
): Promise<Accepted> {
  const { isChargedOnce } = plan;
  let recording: Promise<void> | undefined;
  const recordOnce = () => (recording ??= recordIntent(row, submission, context));
  try {
    if (submission.recordedBy) await recordAgain(row, plan, submission, context);
    else if (isChargedOnce) await recordOnce();
    const beforeAttempt = isChargedOnce ? undefined : recordOnce;
    return await sendWhenSlotFree(row, { submission, beforeAttempt, isChargedOnce }, context);
  } catch (error) {
    // A time limit can end the call while its intent is being written. Only then is it known what has to be taken back.
    await recording?.catch(() => undefined);
    throw error;
  } finally {
    context.chats.remove(row);
  }
}

/** Makes the submission durable before it is sent. If the line cannot be written, nothing is sent. */
async function recordIntent(
  row: Row,
  { intent }: RowSubmission<unknown>,
  { journal }: RowContext,
): Promise<void> {
  const { id, cost } = row;
  const { signal } = row.controller;
  if (signal.aborted) throw unsentError(signal.reason);
  await journal
    .append({ type: 'submit', id, ...intent, ...toCostFields(cost) })
    .catch((error: unknown) => {
      throw notRecordedError(error);
    });
  row.record();
}

/**
 * Records that this run sends what an earlier one has recorded. Without this line, an earlier run that is still alive
 * could take back the only one: if its own request is rejected, it appends a `refused` line.
 */
async function recordAgain(
  { id, cost, controller }: Row,
  plan: RowPlan<unknown>,
  { intent }: RowSubmission<unknown>,
  { journal }: RowContext,
): Promise<void> {
  if (controller.signal.aborted) return;
  const line = { type: 'submit', id, ...intent, ...toCostFields(cost) } as const;
  await journal.tryAppend(line, ifLost(plan));
}

/** Settles the reservation of a failed submission, and takes its `submit` line back if it was certainly not charged. */
async function settleFailure(
  { row, plan, submission }: SubmittingRow<unknown>,
  { reserved, error }: { reserved: ReservedPrice; error: Error },
  { journal, budget, pause }: RowContext,
): Promise<void> {
  const { isChargedOnce } = plan;
  const thisRun = row.state === 'planned' ? undefined : 'this-run';
  const next = afterFailure({ recordedBy: submission.recordedBy ?? thisRun, isChargedOnce }, error);
  budget.settle(row, reserved, next === 'keep' ? countedFailure(error) : { counts: 'nothing' });
  if (next !== 'refuse') return;
  const paused = pause.isReason(error) || undefined;
  const line = { type: 'refused', id: row.id, paused, ...toCostFields(row.cost) } as const;
  await journal.tryAppend(line, ifLost(plan));
}

/** What a line that could not be written means for later runs. */
const ifLost = ({ isChargedOnce }: { isChargedOnce: boolean }): string =>
  isChargedOnce
    ? 'the row may be resent with the same key'
    : 'later runs will not know the outcome of the row';

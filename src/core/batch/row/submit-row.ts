import { toCostFields } from '../journal/row-cost.ts';
import { unpricedSubmits } from '../journal/row-history.ts';
import { notRecordedError, toRowError, unsentError } from '../row-errors.ts';
import type { RunContext } from '../run/context.ts';
import { afterFailure } from './charge-rules.ts';
import type { RowPlan, RowSubmission } from './row-plan.ts';
import type { Row } from './row.ts';
import { sendWhenSlotFree } from './send-when-slot-free.ts';

/** Submits a row: reserves its price, records its intent, sends it, and records what the service has accepted. */
export async function submitRow<Accepted>(
  row: Row,
  plan: RowPlan<Accepted>,
  submission: RowSubmission<Accepted>,
  context: RunContext,
): Promise<Accepted> {
  const { journal, budget, pause } = context;
  const accepted = await pause.whileUnsent(row.controller, async () => {
    await reservePrice(row, submission, context);
    const received = await recordAndSend(row, plan, submission, context);
    row.accept(plan.taskOf(received));
    return received;
  });
  const { path } = submission.intent;
  const usd = plan.chargeOf(accepted);
  if (usd === undefined) budget.keep(row, { path });
  else budget.charge(row, { path, usd });
  const line = plan.toLine(row, accepted);
  const isAppended = !line || (await journal.tryAppend(line, ifLost(plan)));
  if (isAppended || plan.isChargedOnce) row.makeDurable();
  return accepted;
}

/** Records and sends a submission. If that fails, settles its reservation. */
async function recordAndSend<Accepted>(
  row: Row,
  plan: RowPlan<Accepted>,
  submission: RowSubmission<Accepted>,
  context: RunContext,
): Promise<Accepted> {
  let recording: Promise<void> | undefined;
  const recordOnce = () => (recording ??= recordIntent(row, submission, context));
  try {
    if (plan.isChargedOnce) await recordOnce();
    const beforeAttempt = plan.isChargedOnce ? undefined : recordOnce;
    return await sendWhenSlotFree(row, { submission, beforeAttempt }, context);
  } catch (thrown) {
    const { signal } = row.controller;
    const error = toRowError(thrown, { signal, pauseReason: context.pause.reason });
    // A time limit can end the call while its intent is being written. Only then is it known what has to be taken back.
    await recording?.catch(() => undefined);
    await settle(row, { plan, submission, error }, context);
    throw error;
  }
}

/** What a line that could not be written means for later runs. */
const ifLost = ({ isChargedOnce }: { isChargedOnce: boolean }): string =>
  isChargedOnce
    ? 'the row may be resent with the same key'
    : 'later runs will not know the outcome of the row';

/**
 * Reserves the price of a row, unless an earlier run has reserved it for the same submission. If that run did not know it, the
 * submission is counted as unpriced until now.
 */
async function reservePrice<Accepted>(
  row: Row,
  submission: RowSubmission<Accepted>,
  { budget, priceOf }: RunContext,
): Promise<void> {
  const { recordedBy, intent } = submission;
  if (recordedBy && row.cost.estimatedUsd > 0) budget.adopt(row);
  else {
    const repeats = recordedBy ? unpricedSubmits(row.history) : 0;
    const price = await priceOf(submission);
    await budget.reserve(row, { price, path: intent.path, signal: row.controller.signal, repeats });
  }
}

/** Makes the submission durable before it is sent. If the line cannot be written, nothing is sent. */
async function recordIntent(
  row: Row,
  { intent, recordedBy }: RowSubmission<unknown>,
  { journal, pause }: RunContext,
): Promise<void> {
  if (!recordedBy) {
    const { id, cost, controller } = row;
    const { signal } = controller;
    if (signal.aborted) throw unsentError(signal.reason);
    const pauseReason = pause.reasonToKeepBack('planned');
    if (pauseReason) throw unsentError(pauseReason);
    await journal
      .append({ type: 'submit', id, ...intent, ...toCostFields(cost) })
      .catch((error: unknown) => {
        throw notRecordedError(error);
      });
  }
  row.record();
}

/** A submission that failed. */
interface FailedSubmission<Accepted> {
  readonly plan: RowPlan<Accepted>;
  readonly submission: RowSubmission<Accepted>;
  readonly error: Error;
}

/** Settles the reservation of a submission that failed, and records it if the submission was certainly not charged. */
async function settle<Accepted>(
  row: Row,
  { plan, submission, error }: FailedSubmission<Accepted>,
  { journal, budget, pause }: RunContext,
): Promise<void> {
  const { intent, recordedBy } = submission;
  const thisRun = row.state === 'planned' ? undefined : 'this-run';
  const { isChargedOnce } = plan;
  const next = afterFailure({ recordedBy: recordedBy ?? thisRun, isChargedOnce }, error);
  if (next === 'keep') return budget.keep(row, intent);
  budget.release(row);
  if (next === 'release') return;
  const paused = pause.isReason(error) || undefined;
  const line = { type: 'refused', id: row.id, paused, ...toCostFields(row.cost) } as const;
  await journal.tryAppend(line, ifLost(plan));
}

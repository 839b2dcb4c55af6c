import { toCostFields } from '../journal/row-cost.ts';
import { notRecordedError, rowError, toRowError, unsentError } from '../row-errors.ts';
import type { RunContext } from '../run/context.ts';
import { afterFailure } from './charge-rules.ts';
import type { RowPlan, RowSubmission } from './row-plan.ts';
import type { Row } from './row.ts';
import { sendWhenSlotFree } from './send-when-slot-free.ts';

/** Submits a row: reserves its price, records its intent, sends it, and records what the service has accepted. */
export async function submitRow<Accepted>(
  row: Row,
  plan: RowPlan<Accepted>,
  context: RunContext,
): Promise<Accepted> {
  const { journal, budget, pause } = context;
  const { id, controller } = row;
  const { signal } = controller;
  const { submission, path, isChargedOnce } = plan;
  if (!submission) throw rowError(id, 'has nothing to send.');
  pause.addUnsent(controller);
  await reservePrice(row, plan, submission, context);
  let recording: Promise<void> | undefined;
  const recordOnce = () => (recording ??= recordIntent(row, plan, context));
  let accepted: Accepted;
  try {
    if (isChargedOnce) await recordOnce();
    const beforeAttempt = isChargedOnce ? undefined : recordOnce;
    accepted = await sendWhenSlotFree(row, { submission, beforeAttempt }, context);
  } catch (thrown) {
    const error = toRowError(thrown, { signal, pauseReason: pause.reason });
    // A time limit can end the call while its intent is being written. Only then is it known what has to be taken back.
    await recording?.catch(() => undefined);
    await recordFailure(row, plan, error, context);
    throw error;
  }
  row.task = plan.taskOf(accepted);
  budget.charge(row, { path, usd: plan.chargeOf(accepted) });
  const line = plan.toLine(row, accepted);
  const isAppended = !line || (await journal.tryAppend(line, ifLost(plan)));
  // The end of a task is recorded in any case: its key leads to it.
  row.isEndRecordable = isAppended || isChargedOnce;
  return accepted;
}

/** What a line that could not be written means for later runs. */
const ifLost = ({ isChargedOnce }: { isChargedOnce: boolean }): string =>
  isChargedOnce
    ? 'the row may be resent with the same key'
    : 'later runs will not know the outcome of the row';

/** Reserves the price of a row, unless an earlier run has reserved it for the same submission. */
async function reservePrice<Accepted>(
  row: Row,
  { path, intent }: RowPlan<Accepted>,
  submission: RowSubmission<Accepted>,
  { budget, priceOf }: Pick<RunContext, 'budget' | 'priceOf'>,
): Promise<void> {
  if (!intent && row.cost.estimatedUsd > 0) budget.adopt(row);
  else {
    const price = await priceOf(submission);
    await budget.reserve(row, { price, path, signal: row.controller.signal });
  }
}

/** Makes the submission durable before it is sent. If the line cannot be written, nothing is sent. */
async function recordIntent<Accepted>(
  row: Row,
  { intent }: RowPlan<Accepted>,
  { journal, pause }: Pick<RunContext, 'journal' | 'pause'>,
): Promise<void> {
  if (!intent) return;
  const { signal } = row.controller;
  if (signal.aborted) throw unsentError(signal.reason);
  if (pause.reason) throw unsentError(pause.reason);
  const { id, cost } = row;
  await journal
    .append({ type: 'submit', id, ...intent, ...toCostFields(cost) })
    .catch((error: unknown) => {
      throw notRecordedError(error);
    });
  row.isRecorded = true;
}

/** Settles the reservation of a submission that failed, and records it if the submission was certainly not charged. */
async function recordFailure<Accepted>(
  row: Row,
  plan: RowPlan<Accepted>,
  error: Error,
  { journal, budget, pause }: Pick<RunContext, 'journal' | 'budget' | 'pause'>,
): Promise<void> {
  const { id, isRecorded, chargeFacts } = row;
  const { submission, path, intent, isChargedOnce } = plan;
  const facts = { ...chargeFacts, isRecorded, hasIntent: intent !== undefined, isChargedOnce };
  const next = afterFailure(facts, error);
  if (next === 'keep') {
    return budget.keep(row, { path, hasPrice: submission?.hasPrice === true });
  }
  budget.release(row);
  if (next === 'release') return;
  const paused = pause.isReason(error) || undefined;
  const line = { type: 'refused', id, paused, ...toCostFields(row.cost) } as const;
  await journal.tryAppend(line, ifLost(plan));
}

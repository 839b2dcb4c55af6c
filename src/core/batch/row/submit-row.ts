import { AbortedError } from '../../../errors/aborted.ts';
import { ConfigurationError } from '../../../errors/configuration.ts';
import { toCostFields } from '../journal/line.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import { toRowError, unsentError } from '../pool/paused-rows.ts';
import type { BatchContext } from '../run/context.ts';
import { isFinalError, isUncharged, rowError } from './charge-rules.ts';
import type { RowPlan, RowSubmission } from './row-plan.ts';
import type { BatchItem } from './row.ts';
import { sendWhenSlotFree } from './send-when-slot-free.ts';

/** What is known about the row when it ends with an error. */
export function progressOf({ task, history, isJournaled }: BatchItem) {
  return {
    hasTask: task !== undefined,
    mayBeCharged: mayBeCharged(history),
    isRecorded: isJournaled,
  };
}

/** Submits a row: reserves its price, records its intent, sends it, and records what the service has accepted. */
export async function submitRow<Accepted>(
  item: BatchItem,
  plan: RowPlan<Accepted>,
  context: BatchContext,
  controller: AbortController,
): Promise<Accepted> {
  const { journal, budget, pause } = context;
  const { signal } = controller;
  const { submission, intent, path, isReplayed } = plan;
  const { id } = item;
  if (!submission) throw rowError(id, 'has nothing to send.');
  pause.add(controller);
  await reservePrice(item, plan, submission, context, signal);
  const recordIntentNow = async () => {
    if (!intent) return;
    if (signal.aborted) throw unsentError(signal.reason);
    if (pause.reason) throw unsentError(pause.reason);
    // If the line cannot be written, nothing is sent.
    await journal
      .append({ type: 'submit', id, ...intent, ...toCostFields(item.cost) })
      .catch(notRecorded);
    item.isJournaled = true;
  };
  let recording: Promise<void> | undefined;
  const recordIntent = () => (recording ??= recordIntentNow());
  let accepted: Accepted;
  try {
    if (isReplayed) await recordIntent();
    const beforeAttempt = isReplayed ? undefined : recordIntent;
    accepted = await sendWhenSlotFree(submission, item, context, controller, beforeAttempt);
  } catch (thrown) {
    const error = toRowError(thrown, signal, pause);
    // A time limit can end the call while its intent is being written. Only then is it known what has to be taken back.
    await recording?.catch(() => undefined);
    await recordFailure(item, plan, error, context);
    throw error;
  }
  budget.charge(item, path, plan.chargeOf(accepted));
  const line = plan.toLine(item, accepted);
  const isAppended = !line || (await journal.tryAppend(line, isReplayed));
  // The end of a task is recorded in any case: its key leads to it.
  item.isDurable = isAppended || isReplayed;
  return accepted;
}

/** Reserves the price of a row, unless an earlier run has reserved it for the same submission. */
async function reservePrice<Accepted>(
  item: BatchItem,
  { path, intent }: RowPlan<Accepted>,
  submission: RowSubmission<Accepted>,
  { budget, priceOf }: BatchContext,
  signal: AbortSignal,
): Promise<void> {
  if (!intent && item.cost.estimatedUsd > 0) budget.adopt(item);
  else await budget.reserve(item, { price: await priceOf(submission), path, signal });
}

/** Records that a submission was certainly not charged, so that the row can be submitted again, also with other params. */
async function recordFailure<Accepted>(
  item: BatchItem,
  { submission, path, intent, isReplayed }: RowPlan<Accepted>,
  error: Error,
  { journal, budget, pause }: BatchContext,
): Promise<void> {
  const { id, isJournaled } = item;
  // A keyed row that was aborted can be sent again in any case.
  const isRefused = isReplayed
    ? isFinalError(progressOf(item), error) && !AbortedError.is(error)
    : isUncharged(error);
  if (!isRefused && (isJournaled || !intent)) {
    return budget.keep(item, path, submission?.hasPrice === true);
  }
  budget.release(item);
  if (!isJournaled || !isRefused) return;
  const paused = pause.isReason(error) || undefined;
  await journal.tryAppend({ type: 'refused', id, paused, ...toCostFields(item.cost) }, isReplayed);
}

function notRecorded(cause: unknown): never {
  throw new ConfigurationError(
    `journal: appending failed (${String(cause)}). Nothing was sent for this row.`,
    { cause, outcome: 'not-sent' },
  );
}

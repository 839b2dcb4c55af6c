import { isVoid } from '../../paid/failed-call.ts';
import { forwardAbort } from '../config/clock.ts';
import { failedRow } from './charge-rules.ts';
import { isChatPath } from './journal-line.ts';
import type { RowResult } from './results.ts';
import { toRowError } from './row-errors.ts';
import type { RowPlan } from './row-plan.ts';
import type { Row } from './row.ts';
import { staysLocked } from './run.ts';
import type { RunContext } from './run.ts';
import { SubmittingRow } from './submitting-row.ts';

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
    // Of the earlier submission, which counts here: the plan may be another kind of request, or may have failed.
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

import { forwardAbort } from '../../config/clock.ts';
import { isChatPath } from '../journal/line.ts';
import type { RowResult } from '../results.ts';
import { toRowError } from '../row-errors.ts';
import type { RowContext } from '../run/context.ts';
import { failedRow } from './charge-rules.ts';
import type { RowPlan } from './row-plan.ts';
import type { Row } from './row.ts';
import { submitRow } from './submit-row.ts';

/** How a row is run. */
interface RowOptions<Accepted> {
  /** Identifies the row and plans it. */
  readonly makePlan: () => Promise<RowPlan<Accepted>>;
  readonly context: RowContext;
  /** Called when the row has a task or a completion, and waits only for its result. */
  readonly onAccepted: () => void;
}

/** Takes a row through all its states: see row.ts. Ends early when its controller aborts, and never rejects. */
export async function runRow<Accepted>(
  row: Row,
  { makePlan, context, onAccepted }: RowOptions<Accepted>,
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
    const error = toRowError(thrown, { signal, pauseReason: pause.reason });
    const isPauseReason = pause.isReason(error);
    // A callback can receive a 402, too, for example for a chat request that writes the row's prompt.
    if (isPauseReason) pause.begin(error);
    // Of the earlier submission, which counts here: the plan may be another kind of request, or may have failed.
    const isChargedOnce = !isChatPath(row.history.path);
    const facts = { ...row.chargeFacts, isChargedOnce, isPauseReason };
    return { ...identityOf(row), ...failedRow(facts, error) };
  } finally {
    stopListening?.();
  }
}

/** Returns what an earlier run has received for the row, or submits it. */
async function accept<Accepted>(
  row: Row,
  plan: RowPlan<Accepted>,
  context: RowContext,
): Promise<Accepted> {
  const { start, isChargedOnce } = plan;
  if ('accepted' in start) {
    row.resume(plan.taskOf(start.accepted));
    return start.accepted;
  }
  const { submission } = start;
  row.setKey(submission.intent.key);
  const accepted = submitRow({ row, plan, submission }, context);
  // The journal must stay locked until the outcome of a chat is recorded.
  if (!isChargedOnce) keepUntilSettled(context.sending, accepted);
  return accepted;
}

function keepUntilSettled(pending: Set<Promise<unknown>>, promise: Promise<unknown>): void {
  const settled = () => pending.delete(promise);
  pending.add(promise);
  promise.then(settled, settled);
}

/** The part of a result that does not depend on how the row ended. */
function identityOf({ id, idempotencyKey, task }: Row) {
  return { id, idempotencyKey, task };
}

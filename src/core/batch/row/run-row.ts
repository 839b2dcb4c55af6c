/**
 * The life of one row of a batch, from top to bottom:
 *
 *     identified -> planned -> journaled -> accepted -> finished
 *
 * A row continues from the state that the journal records. If a step throws, {@link isFinalError} derives the status of the
 * result from the state that the row had reached.
 *
 * What is durable, and what the next process does after a crash:
 *
 * - identified, planned: nothing is durable, and nothing was sent. The row starts over.
 * - journaled: the `submit` line is durable. Whether the request was sent is unknown. A task is sent again under the same
 *   key: the service returns the task of that key if there is one, and charges only once. A chat has no such key, so its
 *   row is unknown from then on, and is sent again only with `resendUnknown`.
 * - accepted: the `accepted` line of a task or the `completed` line of a chat is durable. The row waits for the task of its
 *   receipt, or has its completion. If that line was lost, the row is journaled. A `refused` line means that nothing was
 *   charged: the row starts over, even if its params have changed. If it is `paused`, a 402 or a budget is the only reason,
 *   and `recover` submits a task if its params are stored.
 * - finished: the `finished` line follows when the caller has taken the result. `recover` skips the row, and a batch
 *   that is run again yields it again.
 */
import type { TaskKind } from '../../../types/tasks/task.ts';
import { forwardAbort } from '../../config/clock.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import type { RowHistory } from '../journal/row-history.ts';
import { isPaused, toRowError } from '../pool/paused-rows.ts';
import type { RowResult } from '../results.ts';
import { noCost } from '../run/batch-budget.ts';
import type { BatchContext } from '../run/context.ts';
import { earlierRowAdvice, isFinalError, withEarlierCharge } from './charge-rules.ts';
import type { RowPlan } from './row-plan.ts';
import type { BatchItem } from './row.ts';
import { progressOf, submitRow } from './submit-row.ts';

/**
 * Takes a row through all its states. `enter` identifies and plans it. Aborts when `controller` aborts, and never rejects.
 */
export async function runItem<Kind extends TaskKind, Accepted>(
  item: BatchItem<Kind>,
  enter: () => Promise<RowPlan<Accepted>>,
  context: BatchContext,
  controller: AbortController,
  markIdle: () => void,
): Promise<RowResult> {
  const { pause, sending } = context;
  const { signal } = controller;
  let plan: RowPlan<Accepted> | undefined;
  let stopListening: (() => void) | undefined;
  try {
    plan = await enter();
    stopListening = forwardAbort(plan.signal, controller);
    let { accepted } = plan;
    if (accepted !== undefined) item.isDurable = true;
    else {
      if (plan.intent) item.idempotencyKey = plan.intent.key;
      const submission = submitRow(item, plan, context, controller);
      if (!plan.isReplayed) {
        sending.add(submission);
        const ended = () => sending.delete(submission);
        submission.then(ended, ended);
      }
      accepted = await submission;
    }
    markIdle();
    return { ...identityOf(item), ...(await plan.finish(accepted, signal)) };
  } catch (thrown) {
    const error = toRowError(thrown, signal, pause);
    const status = isFinalError(progressOf(item), error) ? 'failed' : 'unknown';
    const result: RowResult = { ...identityOf(item), status, error };
    // A callback can also receive a 402, for example for a chat request that writes the row's prompt.
    if (isPaused(result, pause)) pause.begin(result.error);
    else if (!item.task && mayBeCharged(item.history)) {
      return { ...result, error: withEarlierCharge(error, earlierRowAdvice(plan?.isReplayed)) };
    }
    return result;
  } finally {
    pause.delete(controller);
    stopListening?.();
  }
}

/** Creates a row that this process has done nothing for yet. */
export function identify(id: string, history: RowHistory = {}) {
  // Without a readable `submit` line, the receipt still has the key.
  const idempotencyKey = history.key ?? history.receipt?.idempotencyKey;
  return { id, history, idempotencyKey, cost: history.cost ?? noCost };
}

/** The part of a result that does not depend on how the row ended. */
function identityOf<Kind extends TaskKind>({ id, idempotencyKey, task }: BatchItem<Kind>) {
  return { id, idempotencyKey, task };
}

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
 * - journaled: the `submit` line is durable. Whether the request was sent is unknown, so it is sent again under the
 *   same key: the service returns the task of that key if there is one, and charges only once.
 * - accepted: the `accepted` line is durable, and the row waits for the task of its receipt. If that line was lost, the
 *   row is journaled. A `refused` line means that nothing was charged: the row starts over, even if its params have
 *   changed. If it is `paused`, a 402 is the only reason, and `recover` submits the row if its params are stored.
 * - finished: the `finished` line follows when the caller has taken the result. `recover` skips the row, and a batch
 *   that is run again yields it again.
 */
import { AbortedError } from '../../errors/aborted.ts';
import type { ErrorDetails } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { PaymentRequiredError } from '../../errors/status.ts';
import type { TaskKind } from '../../types/tasks/task.ts';
import { textOf } from '../../types/type-guards.ts';
import { forwardAbort } from '../config/clock.ts';
import type { Submission } from '../tasks/submission.ts';
import type { Task } from '../tasks/task.ts';
import type { BatchContext } from './batch-context.ts';
import { mayBeCharged } from './batch-journal.ts';
import type { RowHistory } from './batch-journal.ts';
import type { BatchResult } from './batch-result.ts';
import type { Intent } from './journal-line.ts';
import { isPaused, toRowError } from './paused-rows.ts';
import type { BatchItem } from './row-state.ts';
import { isFinalError, rowKey, withEarlierCharge } from './row.ts';
import { sendWhenSlotFree } from './send-when-slot-free.ts';

/** How to continue a row: with its task, or with a submission. */
export type Plan<Kind extends TaskKind> = (
  | { readonly task: Task<Kind>; readonly submission?: Submission<Kind> }
  | { readonly task?: undefined; readonly submission: Submission<Kind> }
) & {
  /** What to record before the submission is sent, unless an earlier process may have sent it. */
  readonly intent?: Intent;
  /** The signal of the row's own submission. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Takes a row through all its states. `enter` identifies and plans it. Aborts when `controller` aborts, and never rejects.
 */
export async function runItem<Kind extends TaskKind>(
  item: BatchItem<Kind>,
  enter: () => Promise<Plan<Kind>>,
  context: BatchContext,
  controller: AbortController,
  markIdle: () => void,
): Promise<BatchResult<Kind>> {
  const { journal, pause, waitOptions } = context;
  const { signal } = controller;
  let stopListening: (() => void) | undefined;
  try {
    const { task, submission, intent, signal: ownSignal } = await enter();
    stopListening = forwardAbort(ownSignal, controller);
    const { id } = item;
    if (intent) {
      item.idempotencyKey = intent.key;
      signal.throwIfAborted();
      if (pause.reason) throw pause.reason;
      // If the line cannot be written, nothing is sent.
      await journal.append({ type: 'submit', id, ...intent });
      item.isJournaled = true;
    }
    if (task) item.task = task;
    else {
      const sent = sendWhenSlotFree(submission, item, context, controller);
      item.task = await sent.catch(async (thrown: unknown) => {
        const error = toRowError(thrown, signal, pause);
        // The submission was certainly not charged: allows the row to be resubmitted with other params.
        if (isFinalError(progressOf(item), error) && !AbortedError.is(error)) {
          const paused = PaymentRequiredError.is(error) || undefined;
          await journal.tryAppend({ type: 'refused', id, paused });
        }
        throw error;
      });
      // A response with a finished result may have no task id. Only its key can find it again, so no `accepted` line is
      // written.
      if (item.task.id) {
        await journal.tryAppend({ type: 'accepted', id, receipt: item.task.toJSON() });
      }
    }
    markIdle();
    const { task: accepted } = item;
    const generation = await context.enter(() => accepted.wait({ ...waitOptions, signal }));
    return { ...identityOf(item), status: 'succeeded', generation };
  } catch (thrown) {
    const error = toRowError(thrown, signal, pause);
    const status = isFinalError(progressOf(item), error) ? 'failed' : 'unknown';
    const result: BatchResult<Kind> = { ...identityOf(item), status, error };
    // A callback can also receive a 402, for example for a chat request that writes the row's prompt.
    if (isPaused(result)) pause.begin();
    else if (!item.task && mayBeCharged(item.history)) {
      return { ...result, error: withEarlierCharge(error) };
    }
    return result;
  } finally {
    stopListening?.();
  }
}

/** Creates a row that this process has done nothing for yet. */
export function identify(id: string, history: RowHistory = {}) {
  // Without a readable `submit` line, the receipt still has the key.
  return { id, history, idempotencyKey: history.key ?? history.receipt?.idempotencyKey };
}

/**
 * Prepares a submission. Nothing is written or sent.
 *
 * @throws {@link ConfigurationError} when the submission is invalid, or differs from one that may have been charged.
 */
export async function plan<Kind extends TaskKind>(
  { id, history }: BatchItem<Kind>,
  submission: Submission<Kind>,
  runId: string,
  storeParams: boolean,
): Promise<Plan<Kind>> {
  const { idempotencyKey, signal, ...request } = await submission.details(storeParams);
  const hasChanged = history.hash !== undefined && history.hash !== request.hash;
  if (mayBeCharged(history)) {
    if (hasChanged) {
      throw rowError(
        id,
        'its params differ from an earlier submission that may have been charged; restore them, or use another id. Nothing was sent.',
      );
    }
    const { receipt } = history;
    return { submission, signal, task: receipt && submission.task(receipt) };
  }
  // A submission that was rejected keeps its key. With other params it is another request, and needs another key. A
  // derived key is the same in every process that runs the batch with the same journal.
  const key =
    idempotencyKey ??
    (hasChanged ? undefined : history.key) ??
    (await rowKey(runId, id, hasChanged ? request.hash : ''));
  return { submission, signal, intent: { key, ...request } };
}

/** What is known about the row when it ends with an error. */
function progressOf<Kind extends TaskKind>({ task, history, isJournaled }: BatchItem<Kind>) {
  return {
    hasTask: task !== undefined,
    mayBeCharged: mayBeCharged(history),
    isRecorded: isJournaled,
  };
}

/** The part of a result that does not depend on how the row ended. */
function identityOf<Kind extends TaskKind>({ id, idempotencyKey, task }: BatchItem<Kind>) {
  return { id, idempotencyKey, task };
}

/** Creates the error for a row that cannot be planned. */
export function rowError(id: unknown, problem: string, details?: ErrorDetails): ConfigurationError {
  return new ConfigurationError(`row ${textOf(id) ?? '?'}: ${problem}`, details);
}

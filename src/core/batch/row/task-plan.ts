import type { TaskKind } from '../../../types/tasks/task.ts';
import type { Submission } from '../../tasks/submission.ts';
import type { Task } from '../../tasks/task.ts';
import { toCostFields } from '../journal/line.ts';
import type { Intent } from '../journal/line.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import type { BatchContext } from '../run/context.ts';
import { changedParamsError, rowKey } from './charge-rules.ts';
import type { RowPlan } from './row-plan.ts';
import type { BatchItem } from './row.ts';

/** How to continue the row of a task: with its task, or with a submission. */
interface TaskStart<Kind extends TaskKind> {
  readonly task?: Task<Kind> | undefined;
  readonly submission?: Submission<Kind> | undefined;
  readonly path: string;
  readonly intent?: Intent | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The plan for the row of a task. */
export function taskPlan<Kind extends TaskKind>(
  item: BatchItem<Kind>,
  { task, submission, path, intent, signal: ownSignal }: TaskStart<Kind>,
  { enter, waitOptions }: BatchContext,
): RowPlan<Task<Kind>> {
  item.task = task;
  return {
    accepted: task,
    submission: submission && {
      models: submission.models,
      hasPrice: true,
      estimateUsd: (prices) => submission.estimateUsd(prices),
      send: (options, observer) => submission.send(options, observer),
    },
    path,
    intent,
    signal: ownSignal,
    isReplayed: true,
    // A replay without an amount says nothing about what the original request has cost.
    chargeOf: ({ chargeUsd, replayed }) => (replayed && !chargeUsd ? undefined : chargeUsd),
    toLine: ({ id, cost }, accepted) => {
      item.task = accepted;
      // A response with a finished result may have no task id. Only its key can find it again.
      if (!accepted.id) return undefined;
      return { type: 'accepted', id, receipt: accepted.toJSON(), ...toCostFields(cost) };
    },
    finish: async (accepted, signal) => {
      const generation = await enter(() => accepted.wait({ ...waitOptions, signal }));
      return { status: 'succeeded', generation };
    },
  };
}

/**
 * Plans a row of a batch. Nothing is written or sent.
 *
 * @throws {@link ConfigurationError} when the submission is invalid, or differs from one that may have been charged.
 */
export async function planTask<Kind extends TaskKind>(
  item: BatchItem<Kind>,
  submission: Submission<Kind>,
  context: BatchContext,
  { runId, storeParams }: { runId: string; storeParams: boolean },
): Promise<RowPlan<Task<Kind>>> {
  const { id, history } = item;
  const { idempotencyKey, signal, ...request } = await submission.details(storeParams);
  const { path, hash } = request;
  const hasChanged =
    history.completedAt !== undefined || (history.hash !== undefined && history.hash !== hash);
  if (mayBeCharged(history)) {
    if (hasChanged) throw changedParamsError(id);
    const { receipt } = history;
    const task = receipt && submission.task(receipt);
    return taskPlan(item, { submission, signal, path, task }, context);
  }
  // A submission that was rejected keeps its key. With other params it is another request, and needs another key. A
  // derived key is the same in every process that runs the batch with the same journal.
  const key =
    idempotencyKey ??
    (hasChanged ? undefined : history.key) ??
    (await rowKey(runId, id, hasChanged ? hash : ''));
  return taskPlan(item, { submission, signal, path, intent: { key, ...request } }, context);
}

import type { TaskKind } from '../../../wire/types/tasks/task.ts';
import type { Submission } from '../../tasks/submission.ts';
import { hasId } from '../../tasks/task-scope.ts';
import type { Task } from '../../tasks/task.ts';
import type { Intent } from '../journal/line.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import { changedParamsError } from '../row-errors.ts';
import type { RowContext } from '../run/context.ts';
import { rowKey } from './row-key.ts';
import type { RowPlan, RowStart, RowSubmission } from './row-plan.ts';
import type { Row } from './row.ts';

/** What the plan for the row of a task is made of. */
interface TaskRow<Kind extends TaskKind> {
  readonly start: RowStart<Task<Kind>>;
  /** The signal of the submission, as its caller passed it. */
  readonly signal?: AbortSignal | undefined;
}

/** The submission of a task, as a row sends it. */
export function taskSubmission<Kind extends TaskKind>(
  submission: Submission<Kind>,
  intent: Intent,
  recordedBy?: 'earlier-run',
): RowSubmission<Task<Kind>> {
  return {
    models: submission.models,
    hasPrice: true,
    estimateUsd: (prices) => submission.estimateUsd(prices),
    intent,
    recordedBy,
    send: (options, observer) => submission.send(options, observer),
  };
}

/** The plan for the row of a task. */
export function taskPlan<Kind extends TaskKind>(
  { start, signal }: TaskRow<Kind>,
  { enter, waitOptions }: RowContext,
): RowPlan<Task<Kind>> {
  return {
    start,
    signal,
    isChargedOnce: true,
    chargeOf: ({ chargeUsd, replayed }) => ({ chargeUsd, isReplay: replayed }),
    taskOf: (accepted) => accepted,
    toLine: (id, accepted, cost) => {
      if (!hasId(accepted)) return undefined;
      return { type: 'accepted', id, receipt: accepted.toJSON(), ...cost };
    },
    finish: async (accepted, rowSignal) => {
      const options = { ...waitOptions, signal: rowSignal };
      const generation = await enter(() => accepted.wait(options));
      return { status: 'succeeded', generation };
    },
  };
}

/**
 * Plans a row of a batch. Nothing is written or sent.
 *
 * @throws `ConfigurationError` when the submission is invalid, or differs from one that may have been charged.
 */
export async function planTask<Kind extends TaskKind>(
  row: Row,
  submission: Submission<Kind>,
  context: RowContext,
  { runId, storeParams }: { runId: string; storeParams: boolean },
): Promise<RowPlan<Task<Kind>>> {
  const { id, history } = row;
  const { idempotencyKey, signal, ...request } = await submission.details(storeParams);
  const { hash } = request;
  const hasChanged =
    history.completedAt !== undefined || (history.hash !== undefined && history.hash !== hash);
  if (mayBeCharged(history)) {
    if (hasChanged) throw changedParamsError(id);
    const { receipt } = history;
    const start = receipt
      ? { accepted: submission.task(receipt) }
      : {
          submission: taskSubmission(
            submission,
            { ...request, key: row.idempotencyKey },
            'earlier-run',
          ),
        };
    return taskPlan({ start, signal }, context);
  }
  // A submission that was rejected keeps its key. With other params it is another request, and needs another key. A
  // derived key is the same in every process that runs the batch with the same journal.
  const key =
    idempotencyKey ??
    (hasChanged ? undefined : history.key) ??
    (await rowKey(runId, id, hasChanged ? hash : ''));
  const start = { submission: taskSubmission(submission, { ...request, key }) };
  return taskPlan({ start, signal }, context);
}

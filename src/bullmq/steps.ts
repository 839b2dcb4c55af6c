import type { Polygate } from '../client.ts';
import { parseRetryAfter } from '../core/http/retry-after.ts';
import type { KnownPrices } from '../core/limits/estimate.ts';
import { requestPrice } from '../core/limits/request-price.ts';
import type { Task } from '../core/tasks/task.ts';
import { PolygateError } from '../errors/base.ts';
import type { Outcome } from '../errors/base.ts';
import { TaskWaitTimeoutError } from '../errors/tasks.ts';
import type { TaskNamespace } from '../resources/task-namespace.ts';
import type { ResponseMeta } from '../schemas/meta.ts';
import { unchecked } from '../schemas/schema.ts';
import type { Receipt, TaskKind } from '../schemas/task.ts';
import {
  afterFailedPoll,
  afterFailedSubmit,
  afterTask,
  costOf,
  deadlineAfter,
  deadlineOf,
  pollInterval,
  reportedLimit,
} from './decisions.ts';
import type { Step, TaskResult } from './decisions.ts';
import type { RowData, RowState } from './row.ts';
import type { Move, StoredRow } from './store.ts';

/** The options that the steps of a row depend on. */
export interface StepOptions {
  /** How many submissions of a row may fail. */
  readonly attempts: number;
  /** How long to wait for a task, in ms. */
  readonly waitTimeout: number;
}

function namespaceOf(gateway: Polygate, kind: TaskKind): TaskNamespace<TaskKind> {
  return { image: gateway.images, video: gateway.videos, audio: gateway.audio }[kind];
}

/** Estimates what a row costs in USD; 0 if the price is not known. */
export function estimateUsd({ kind, params }: RowData, prices: KnownPrices): number {
  return requestPrice[kind](params)(prices) ?? 0;
}

/**
 * Submits a row that was admitted. `mayBeCharged` means that an earlier process may have submitted it; `clock` is that
 * of Redis.
 */
export async function submit(
  gateway: Polygate,
  { data, state, key }: StoredRow,
  mayBeCharged: boolean,
  priceUsd: number,
  clock: () => number,
  { attempts, waitTimeout }: StepOptions,
): Promise<Step> {
  /** Whether a replay is one of this row, whose response was lost earlier or in this call. */
  let isReplayPaid = mayBeCharged;
  const observer = {
    onRetry: (outcome: Outcome) => {
      isReplayPaid ||= outcome === 'unknown';
    },
  };
  const accepted = (receipt: Receipt): RowState => ({
    ...state,
    receipt,
    deadline: deadlineAfter(clock(), waitTimeout),
    interval: pollInterval,
  });
  try {
    const submission = namespaceOf(gateway, data.kind).restore(data.path, data.params);
    const task = await submission.send({ idempotencyKey: key }, observer);
    const result = await resultOf(task, task.meta);
    const step = afterTask('submitting', accepted(task.toJSON()), key, result, clock());
    const cost = costOf(task, isReplayPaid, priceUsd);
    return withMove(step, { cost, limit: task.meta.concurrency.limit ?? 'more' });
  } catch (error) {
    const { task }: Partial<PolygateError> = PolygateError.is(error) ? error : {};
    const limit = reportedLimit(error);
    if (!task)
      return withMove(afterFailedSubmit({ state, key, mayBeCharged, attempts }, error), { limit });
    const receipt = unchecked<Receipt>(task.toJSON());
    const step = afterTask('submitting', accepted(receipt), key, {}, clock());
    return withMove(step, { cost: receipt.chargeUsd ?? priceUsd, limit });
  }
}

/** Polls the task of a row once. */
export async function poll(
  gateway: Polygate,
  { data, state, key }: StoredRow,
  clock: () => number,
): Promise<Step> {
  const task = namespaceOf(gateway, data.kind).task(unchecked<Receipt>(state.receipt));
  try {
    // The queue repeats failed polls.
    const { meta } = await task.retrieve({ maxRetries: 0 }).withResponse();
    const step = afterTask('running', state, key, await resultOf(task, meta), clock());
    if (step.move.to === 'running' && clock() >= deadlineOf(state)) {
      throw new TaskWaitTimeoutError(
        `The wait exceeded waitTimeout. Task ${task.id} is not lost: call queue.retry(id) to continue.`,
        { task, idempotencyKey: key },
      );
    }
    return withMove(step, { limit: meta.concurrency.limit });
  } catch (error) {
    return withMove(afterFailedPoll(state, key, error, clock()), { limit: reportedLimit(error) });
  }
}

/** What the last response said about a task. */
async function resultOf(task: Task, { headers }: ResponseMeta): Promise<TaskResult> {
  const { latest } = task;
  if (latest?.status !== 'succeeded' && latest?.status !== 'failed') {
    return { progress: latest?.progress, retryAfterMs: parseRetryAfter(headers, Date.now()) };
  }
  try {
    // Sends nothing, because the task has ended.
    return { generation: await task.wait() };
  } catch (error) {
    return { error };
  }
}

const withMove = (step: Step, change: Partial<Move>): Step => ({
  ...step,
  move: { ...step.move, ...change },
});

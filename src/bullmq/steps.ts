import type { Polygate } from '../client.ts';
import { isFinalError } from '../core/batch/row.ts';
import type { KnownPrices } from '../core/limits/estimate.ts';
import { requestPrice } from '../core/limits/request-price.ts';
import type { Task } from '../core/tasks/task.ts';
import { APIError } from '../errors/api.ts';
import { PolygateError } from '../errors/base.ts';
import { BudgetExceededError } from '../errors/budget.ts';
import { ConfigurationError } from '../errors/configuration.ts';
import { ConcurrencyLimitError, PaymentRequiredError } from '../errors/status.ts';
import { TaskWaitTimeoutError } from '../errors/tasks.ts';
import type { TaskNamespace } from '../resources/task-namespace.ts';
import { unchecked } from '../schemas/schema.ts';
import type { Receipt, TaskKind } from '../schemas/task.ts';
import { isEnded, toRowError } from './row.ts';
import type { RowData, RowState } from './row.ts';
import type { Move, PauseReason, StoredRow } from './store.ts';

/** The first and the longest delay between two polls of a task, in ms. */
const pollInterval = 2_000;
const maxPollInterval = 10_000;

/**
 * The first and the longest delay after a failed submission, in ms. Five attempts cover more than a minute, so that an
 * outage of a minute fails no rows.
 */
const firstBackoff = 5_000;
const maxBackoff = 60_000;

/** What a step has led to: how the row moves, when its next step is due, and whether the queue has to stop. */
export interface Step {
  readonly move: Move;
  /** Delay before the next step in ms; undefined if the row has ended, or can be submitted again now. */
  readonly delayMs?: number | undefined;
  readonly pause?: PauseReason | undefined;
}

/** The options that the steps of a row depend on. */
export interface StepOptions {
  /** How many submissions a row may need. */
  readonly attempts: number;
  /** How long to wait for a task, in ms. */
  readonly waitTimeout: number;
}

export function namespaceOf(gateway: Polygate, kind: TaskKind): TaskNamespace<TaskKind> {
  return { image: gateway.images, video: gateway.videos, audio: gateway.audio }[kind];
}

/** Estimates what a row costs in USD; 0 if the service lists no price. */
export function estimateUsd({ kind, params }: RowData, prices: KnownPrices): number {
  const fields = unchecked<Readonly<Record<string, never>>>(params);
  const estimator = {
    image: () => requestPrice.image(fields),
    video: () => requestPrice.video(fields),
    audio: () =>
      'text' in params || 'input' in params ? requestPrice.speech(fields) : requestPrice.music(),
  }[kind]();
  return estimator(prices) ?? 0;
}

/** Submits a row that was admitted. `mayBeCharged` means that an earlier process may have submitted it. */
export async function submit(
  gateway: Polygate,
  { data, state, key }: StoredRow,
  mayBeCharged: boolean,
  priceUsd: number,
  now: number,
  { attempts, waitTimeout }: StepOptions,
): Promise<Step> {
  const from = ['submitting'] as const;
  const { failures = 0 } = state;
  const running = { ...state, deadline: now + waitTimeout, interval: pollInterval };
  let step: Step;
  try {
    const submission = namespaceOf(gateway, data.kind).restore(data.path, data.params);
    const task = await submission.send({ idempotencyKey: key });
    // A replay was paid for by an earlier submission, and by one of this queue only if its response was lost.
    const cost = task.replayed && !mayBeCharged ? 0 : (task.chargeUsd ?? priceUsd);
    const accepted = { ...running, receipt: task.toJSON() };
    step = await afterPoll(task, accepted, key, from);
    return withLimit(gateway, { ...step, move: { ...step.move, cost } });
  } catch (error) {
    const { task, outcome = 'unknown' }: Partial<PolygateError> = PolygateError.is(error)
      ? error
      : {};
    if (task) {
      const receipt = unchecked<Receipt>(task.toJSON());
      const accepted = { ...running, receipt };
      const move = { from, to: 'running', state: accepted, cost: priceUsd } as const;
      return withLimit(gateway, { move, delayMs: pollInterval });
    }
    const charged = mayBeCharged || outcome === 'unknown';
    const cost = charged ? 'unknown' : 0;
    const retryAfterMs = error instanceof APIError ? (error.retryAfterMs ?? 0) : 0;
    const waiting = {
      from,
      to: 'waiting',
      state: { ...state, mayBeCharged: charged },
      cost,
    } as const;
    if (PaymentRequiredError.is(error)) step = { move: waiting, pause: 'balance' };
    else if (BudgetExceededError.is(error)) step = { move: waiting, pause: 'budget' };
    else if (ConcurrencyLimitError.is(error) && outcome !== 'unknown') {
      step = { move: waiting, delayMs: Math.max(1_000, retryAfterMs) };
    } else {
      const failed = { ...waiting.state, failures: failures + 1, error: toRowError(error, key) };
      if (failures + 1 < attempts && isTemporary(error)) {
        const backoff = Math.min(maxBackoff, firstBackoff * 2 ** failures);
        const delayMs = Math.max(retryAfterMs, backoff);
        step = { move: { ...waiting, state: failed }, delayMs };
      } else {
        const progress = { hasTask: false, mayBeCharged, isRecorded: true };
        const to = isFinalError(progress, error) ? 'failed' : 'unknown';
        step = { move: { ...waiting, to, state: failed } };
      }
    }
    return error instanceof APIError ? withLimit(gateway, step) : step;
  }
}

/** Polls the task of a row once. Only the end of the task or the deadline ends a row: an outage does not. */
export async function poll(gateway: Polygate, row: StoredRow, now: number): Promise<Step> {
  const { data, state, key } = row;
  const from = ['running'] as const;
  const { receipt, deadline = Infinity } = state;
  const task = namespaceOf(gateway, data.kind).task(unchecked<Receipt>(receipt));
  try {
    const { response } = await task.retrieve().withResponse();
    const step = await afterPoll(task, state, key, from, response);
    if (isEnded(step.move.to) || now < deadline) return step;
    throw new TaskWaitTimeoutError(
      `The wait exceeded waitTimeout. Task ${task.id} is not lost: call queue.retry(id) to continue.`,
      { task, idempotencyKey: key },
    );
  } catch (error) {
    const failed = { ...state, error: toRowError(error, key) };
    if (now >= deadline) return { move: { from, to: 'unknown', state: failed } };
    const retryAfterMs = error instanceof APIError ? (error.retryAfterMs ?? 0) : 0;
    const interval = Math.min(maxPollInterval, (state.interval ?? pollInterval) * 1.25);
    return {
      move: { from, to: 'running', state: { ...failed, interval } },
      delayMs: Math.max(interval, retryAfterMs),
    };
  }
}

/** What follows from the last known state of a task. */
async function afterPoll(
  task: Task,
  state: RowState,
  key: string,
  from: Move['from'],
  response?: Response,
): Promise<Step> {
  const { latest } = task;
  if (latest?.status === 'succeeded' || latest?.status === 'failed') {
    try {
      // Sends nothing, because the task has ended.
      const generation = await task.wait();
      return { move: { from, to: 'succeeded', state: { ...state, generation, error: undefined } } };
    } catch (error) {
      return { move: { from, to: 'failed', state: { ...state, error: toRowError(error, key) } } };
    }
  }
  const interval = state.interval ?? pollInterval;
  const next = {
    ...state,
    progress: latest?.progress,
    interval: Math.min(maxPollInterval, interval * 1.25),
    error: undefined,
  };
  const seconds = Number(response?.headers.get('retry-after') ?? 0);
  return {
    move: { from, to: 'running', state: next },
    delayMs: Math.max(interval, seconds > 0 ? seconds * 1_000 : 0),
  };
}

/** Whether another submission under the same key can succeed. */
function isTemporary(error: unknown): boolean {
  if (error instanceof APIError) {
    return error.status >= 500 || error.status === 408 || error.status === 429;
  }
  return PolygateError.is(error) && !ConfigurationError.is(error);
}

/**
 * Adds the account's limit, which the response to a submission reports. Other steps must not repeat it: what this process
 * knows may be older than what the others have learned.
 */
function withLimit({ concurrency }: Polygate, step: Step): Step {
  return { ...step, move: { ...step.move, limit: concurrency.limit } };
}

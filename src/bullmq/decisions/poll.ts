import type { TaskHandle } from 'polygate';

import { ConfigurationError } from '../../errors/configuration.ts';
import { TaskWaitTimeoutError } from '../../errors/tasks.ts';
import { isFinalError, nextPollDelay, taskPollInterval } from '../../internal/row-driver.ts';
import type { DelayOptions, TaskResult } from '../../internal/row-driver.ts';
import type { Step } from '../move.ts';
import { errorRecord } from '../row.ts';
import type { RowState } from '../stored-row.ts';
import { lacksKey, retryAfterOf } from './failures.ts';

/** The longest delay between two polls of a task, in ms, unless the service requests another one. */
const maxPollInterval = 10_000;

/** A row that has a task. */
interface RowWithTask {
  readonly from: 'submitting' | 'running';
  readonly state: RowState;
  readonly key: string;
}

/** What the delay before a poll depends on. */
export interface PollTiming extends DelayOptions {
  /** The time of Redis in ms. */
  readonly now: number;
}

/** What follows from the state of the task of a row. */
export function afterTask(
  { from, state, key }: RowWithTask,
  { generation, error, progress = state.progress, retryAfterMs }: TaskResult,
  timing: PollTiming,
): Step {
  if (generation) {
    return { move: { from, to: 'succeeded', state: { ...state, generation, error: undefined } } };
  }
  if (error !== undefined) {
    // A task that has succeeded without a result was paid for, so it has not failed.
    const to = isFinalError({ hasTask: true, mayBeCharged: true }, error) ? 'failed' : 'unknown';
    return { move: { from, to, state: { ...state, error: errorRecord(error, key) } } };
  }
  return pollLater(from, { ...state, progress, error: undefined }, retryAfterMs, timing);
}

/** What follows from a poll. A task that is still processing at the deadline ends the row, with its receipt. */
export function afterPoll(
  { state, key }: Pick<RowWithTask, 'state' | 'key'>,
  task: TaskHandle,
  result: TaskResult,
  timing: PollTiming,
): Step {
  const step = afterTask({ from: 'running', state, key }, result, timing);
  if (step.move.to !== 'running' || timing.now < deadlineOf(state)) return step;
  const error = new TaskWaitTimeoutError(
    `The wait exceeded waitTimeout. Task ${task.id} is not lost: call queue.retry(id) to continue.`,
    { task, idempotencyKey: key },
  );
  return endUnknown(step.move.state, error, key);
}

const endUnknown = (state: RowState, error: unknown, key: string): Step => ({
  move: { from: 'running', to: 'unknown', state: { ...state, error: errorRecord(error, key) } },
});

/**
 * What follows from a poll that failed. Only the end of the task, the deadline or an id that cannot be polled ends the
 * row: an outage does not.
 */
export function afterFailedPoll(
  { state, key }: Pick<RowWithTask, 'state' | 'key'>,
  error: unknown,
  timing: PollTiming,
): Step {
  const pause = lacksKey(error) ? 'authentication' : undefined;
  if (timing.now >= deadlineOf(state) || (ConfigurationError.is(error) && !pause)) {
    return { ...endUnknown(state, error, key), pause };
  }
  const failed = { ...state, error: errorRecord(error, key) };
  return { ...pollLater('running', failed, retryAfterOf(error), timing), pause };
}

/** Polls with growing delays, the last one at the deadline. */
function pollLater(
  from: RowWithTask['from'],
  state: RowState,
  requestedMs: number | undefined,
  { now, maxRetryDelay, random }: PollTiming,
): Step {
  const { delayMs, interval } = nextPollDelay({
    interval: state.interval ?? taskPollInterval,
    maxInterval: maxPollInterval,
    retryAfterMs: requestedMs === undefined ? undefined : Math.min(requestedMs, maxRetryDelay),
    random,
  });
  const remainingMs = Math.max(0, deadlineOf(state) - now);
  return {
    move: { from, to: 'running', state: { ...state, interval } },
    delayMs: Math.min(delayMs, remainingMs),
  };
}

/** When the wait for the task of a row ends, on the clock of Redis. */
const deadlineOf = ({ deadline = Infinity }: RowState): number => deadline;

/** JSON has no Infinity. */
export const deadlineAfter = (now: number, waitTimeout: number): number | undefined =>
  Number.isFinite(waitTimeout) ? now + waitTimeout : undefined;

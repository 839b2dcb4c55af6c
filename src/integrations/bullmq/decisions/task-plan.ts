/** What follows from the responses about a task, which its key protects from a second charge. */
import type { Receipt } from 'polygate';

import { ConfigurationError } from '../../../errors/base.ts';
import { TaskWaitTimeoutError } from '../../../errors/tasks.ts';
import {
  isFinalError,
  isInvalidRecord,
  nextPollDelay,
  taskPollInterval,
} from '../../../internal.ts';
import type { IntegrationContext } from '../../../internal.ts';
import type { Verdict } from '../../../paid/verdict.ts';
import type { TaskResult } from '../row-driver.ts';
import { errorRecord, lacksKey, retryAfterOf } from '../row.ts';
import type { RowError, RowState, StoredRow } from '../row.ts';
import { settlementOf } from './settlement.ts';
import { after, end } from './step.ts';
import type { Move, Step } from './step.ts';

/**
 * The longest delay between two polls of a task, in ms, unless the service requests another one. It is longer than that
 * of a wait, because thousands of rows may be running, and no caller watches a single one.
 */
const maxPollInterval = 10_000;

/** A row whose task is polled. */
type PolledRow = Pick<StoredRow, 'state' | 'key'>;

/** A row that has a task, which its submission or a poll has returned. */
interface RowWithTask extends PolledRow {
  readonly from: 'submitting' | 'running';
}

/** What the delay before a poll depends on. */
export interface PollTiming extends Pick<IntegrationContext, 'maxRetryDelay' | 'random'> {
  /** The time of Redis in ms. */
  readonly now: number;
}

/** A submission that the service has accepted. */
export interface AcceptedSubmission extends PolledRow {
  readonly receipt: Receipt;
  /** What counts of its response. */
  readonly verdict: Verdict;
  /** How long to wait for the task, in ms. */
  readonly waitTimeout: number;
}

/** What follows from a submission that was accepted, and from the state of its task. */
export function afterAccepted(
  accepted: AcceptedSubmission,
  result: TaskResult,
  timing: PollTiming,
): Step {
  const { receipt, key, verdict, waitTimeout } = accepted;
  const state = { ...accepted.state, receipt, deadline: deadlineAfter(timing.now, waitTimeout) };
  const { move, ...step } = afterTask({ from: 'submitting', state, key }, result, timing);
  const settlement = settlementOf(verdict, receipt.id);
  return { ...step, move: { ...move, settlement } };
}

/** What follows from the state of the task of a row. */
export function afterTask(
  { from, state, key }: RowWithTask,
  { generation, error, progress = state.progress, retryAfterMs }: TaskResult,
  timing: PollTiming,
): Step {
  if (generation) {
    const succeeded = { ...state, generation, error: undefined };
    return { move: { from, to: 'succeeded', state: succeeded }, next: end };
  }
  if (error !== undefined) {
    // Any other error says nothing about the end of the task, which was paid for.
    const to = isFinalError({ hasTask: true, mayBeCharged: true }, error) ? 'failed' : 'unknown';
    return { move: { from, to, state: { ...state, error: errorRecord(error, key) } }, next: end };
  }
  return pollLater(from, { ...state, progress, error: undefined }, retryAfterMs, timing);
}

/** What follows from a poll. A task that is still processing at the deadline ends the row, with its receipt. */
export function afterPoll(row: PolledRow, result: TaskResult, timing: PollTiming): Step {
  const step = afterTask({ from: 'running', ...row }, result, timing);
  if (step.move.to !== 'running' || timing.now < deadlineOf(row.state)) return step;
  return endUnknown({ ...row, state: step.move.state }, timeoutOf(row));
}

/**
 * What follows from a poll that failed. Only the deadline, a record that cannot be read or an id that cannot be polled
 * ends the row: an outage does not.
 *
 * A rejected poll or a third 404 in a row ends a wait of the client (see `client/tasks/poll-decisions.ts`), but not a
 * row. Any worker may send its next poll, so the cause may be the API key or the base URL of one worker, which an
 * operator can correct before the deadline.
 */
export function afterFailedPoll(row: PolledRow, error: unknown, timing: PollTiming): Step {
  const pause = lacksKey(error) ? 'authentication' : undefined;
  const isOver = isInvalidRecord(error) || ConfigurationError.is(error);
  if (isOver && !pause) return endUnknown(row, error);
  if (timing.now >= deadlineOf(row.state)) {
    return withPause(endUnknown(row, timeoutOf(row, error)), pause);
  }
  const state = { ...row.state, error: pollError(row, error) };
  return withPause(pollLater('running', state, retryAfterOf(error), timing), pause);
}

const withPause = ({ move, next }: Step, pause: Move['pause']): Step => ({
  move: { ...move, pause },
  next,
});

/** The error of a row whose wait has ended. Its task was accepted, even if the last poll was rejected. */
function timeoutOf({ state, key }: PolledRow, cause?: unknown): TaskWaitTimeoutError {
  const { name, status } = errorRecord(cause, key);
  const reason = status === undefined ? name : `${name} ${status}`;
  const lastPoll = cause === undefined ? '' : ` The last poll failed: ${reason}.`;
  return new TaskWaitTimeoutError(
    `The wait exceeded waitTimeout. Task ${state.receipt?.id} is not lost: call queue.retry(id) to continue.${lastPoll}`,
    { cause },
  );
}

const endUnknown = (row: PolledRow, error: unknown): Step => ({
  move: { from: 'running', to: 'unknown', state: { ...row.state, error: pollError(row, error) } },
  next: end,
});

/** The error of a poll, without its outcome, which says nothing about the submission. */
const pollError = ({ state, key }: PolledRow, error: unknown): RowError => ({
  ...errorRecord(error, key),
  outcome: undefined,
  taskId: state.receipt?.id,
});

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
    next: after(Math.min(delayMs, remainingMs)),
  };
}

/** When the wait for the task of a row ends, on the clock of Redis. */
const deadlineOf = ({ deadline = Infinity }: RowState): number => deadline;

/** When a wait for a task ends, on the clock of Redis; undefined for never, because JSON has no Infinity. */
export const deadlineAfter = (now: number, waitTimeout: number): number | undefined =>
  Number.isFinite(waitTimeout) ? now + waitTimeout : undefined;

import type { ChatCompletion } from 'polygate';

import { APIError } from '../errors/api.ts';
import { PolygateError } from '../errors/base.ts';
import { BudgetExceededError } from '../errors/budget.ts';
import { ConfigurationError } from '../errors/configuration.ts';
import { ConnectionError } from '../errors/connection.ts';
import {
  AuthenticationError,
  ConcurrencyLimitError,
  PaymentRequiredError,
} from '../errors/status.ts';
import { isUncharged, withEarlierCharge } from '../internal/charges.ts';
import {
  earlierRowAdvice,
  isFinalError,
  nextPollDelay,
  taskPollInterval,
} from '../internal/row-driver.ts';
import type { DelayOptions, TaskResult } from '../internal/row-driver.ts';
import { toRowError } from './row.ts';
import type { RowState } from './row.ts';
import type { Cost, Move, PauseReason, StoredRow } from './store.ts';

/** The longest delay between two polls of a task, in ms, unless the service requests another one. */
const maxPollInterval = 10_000;

/** The shortest delay after a submission for which no slot was free, in ms. */
const slotDelay = 1_000;

/**
 * The first and the longest delay after a failed submission, in ms. Five attempts take more than a minute, so that an
 * outage of a minute fails no rows.
 */
const retryDelay = 5_000;
const maxBackoff = 60_000;

/** What a step has led to: how the row moves, when its next step is due, and whether the queue has to stop. */
export interface Step {
  readonly move: Move;
  /** Delay before the next step in ms; undefined if the row has ended, or may not continue while the queue is paused. */
  readonly delayMs?: number | undefined;
  readonly pause?: PauseReason | undefined;
}

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

/** What a row has to submit with. */
export interface Attempt {
  readonly state: RowState;
  readonly key: string;
  /** Whether an earlier submission under the key may have been charged. */
  readonly mayBeCharged: boolean;
  /** How many submissions of a row may fail. */
  readonly attempts: number;
  /** The longest delay that the service may request, in ms. */
  readonly maxRetryDelay: number;
  /** Whether the row is a chat, which has no key under which it could be sent again. */
  readonly isChat?: boolean | undefined;
}

/**
 * What a submission has cost. A replay was paid for by an earlier request, and by one of this row only if its response
 * was lost (`isReplayPaid`).
 */
export function costOf(
  { replayed, chargeUsd }: { replayed: boolean; chargeUsd?: number | undefined },
  isReplayPaid: boolean,
  priceUsd: number,
): Cost {
  return replayed && !isReplayPaid ? 0 : (chargeUsd ?? priceUsd);
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
    return { move: { from, to, state: { ...state, error: toRowError(error, key) } } };
  }
  return pollLater(from, { ...state, progress, error: undefined }, retryAfterMs, timing);
}

/**
 * What follows from a poll that failed. Only the end of the task, the deadline or an id that cannot be polled ends the
 * row: an outage does not.
 */
export function afterFailedPoll(
  { state, key }: Pick<RowWithTask, 'state' | 'key'>,
  error: unknown,
  timing: PollTiming,
): Step {
  const failed = { ...state, error: toRowError(error, key) };
  const pause = lacksKey(error) ? 'authentication' : undefined;
  if (timing.now >= deadlineOf(state) || (ConfigurationError.is(error) && !pause)) {
    return { move: { from: 'running', to: 'unknown', state: failed }, pause };
  }
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
export const deadlineOf = ({ deadline = Infinity }: RowState): number => deadline;

/**
 * What follows from a submission that failed without a task. A rejection for lack of a slot, money, budget or a valid API
 * key is no attempt. Other temporary failures are repeated under the same key until the attempts are used up.
 */
export function afterFailedSubmit(
  { state, key, mayBeCharged, attempts, maxRetryDelay, isChat = false }: Attempt,
  error: unknown,
): Step {
  const isLost = !isUncharged(error);
  const nowCharged = mayBeCharged || isLost;
  const move = {
    from: 'submitting',
    to: 'waiting',
    state: { ...state, mayBeCharged: nowCharged },
    // What an earlier request for a chat may have cost was spent when it was retried.
    cost: (isChat ? isLost : nowCharged) ? 'unknown' : 0,
  } as const;
  if (isChat && isLost) {
    const lost = { ...move.state, error: toRowError(error, key) };
    return { move: { ...move, to: 'unknown', state: lost } };
  }
  if (lacksKey(error)) return { move, pause: 'authentication' };
  if (PaymentRequiredError.is(error)) return { move, pause: 'balance' };
  if (BudgetExceededError.is(error)) return { move, pause: 'budget' };
  const retryAfterMs = Math.min(retryAfterOf(error) ?? 0, maxRetryDelay);
  if (ConcurrencyLimitError.is(error)) return { move, delayMs: Math.max(slotDelay, retryAfterMs) };
  const failures = (state.failures ?? 0) + 1;
  const advice = earlierRowAdvice({ isChargedOnce: !isChat });
  const rowError = mayBeCharged ? withEarlierCharge(error, advice) : error;
  const failed = { ...move.state, failures, error: toRowError(rowError, key) };
  if (failures < attempts && canSubmitLater(error)) {
    const backoff = Math.min(maxBackoff, retryDelay * 2 ** (failures - 1));
    return { move: { ...move, state: failed }, delayMs: Math.max(backoff, retryAfterMs) };
  }
  const progress = { hasTask: false, mayBeCharged, isRecorded: true };
  const to = isFinalError(progress, error) ? 'failed' : 'unknown';
  return { move: { ...move, to, state: failed } };
}

/** What follows from the completion of a chat. */
export function afterChat(
  state: RowState,
  completion: ChatCompletion,
  chargeUsd: number | undefined,
): Step {
  const ended = { ...state, completion, error: undefined };
  const cost = chargeUsd ?? 'unknown';
  return { move: { from: 'submitting', to: 'succeeded', state: ended, cost } };
}

/** What follows for a chat whose worker has died or has lost its job after it was admitted: it may have been charged. */
export function afterLostChat({ data, state, key }: StoredRow): Step {
  const error = new ConnectionError(
    `The worker that sent the chat of row ${data.id} has died or was cut off, so the chat may have been charged. ` +
      'It is sent again only by queue.retry(id), and you may then pay for it a second time.',
    { outcome: 'unknown' },
  );
  const lost = { ...state, mayBeCharged: true, error: toRowError(error, key) };
  return { move: { from: 'submitting', to: 'unknown', state: lost, cost: 'unknown' } };
}

/** How a failed or unknown row continues: with a new key, with its task, or with another submission under its key. */
export function afterRetry(
  { state, status }: Pick<StoredRow, 'state' | 'status'>,
  newKey: string | undefined,
  now: number,
  waitTimeout: number,
): Omit<Move, 'from'> {
  // What was reserved for the old key may have been charged.
  if (newKey) return { to: 'waiting', state: { key: newKey }, cost: 'reserved' };
  if (status === 'unknown' && state.receipt) {
    const deadline = deadlineAfter(now, waitTimeout);
    return { to: 'running', state: { ...state, deadline, interval: undefined } };
  }
  return { to: 'waiting', state: { key: state.key, mayBeCharged: state.mayBeCharged } };
}

/** JSON has no Infinity. */
export const deadlineAfter = (now: number, waitTimeout: number): number | undefined =>
  Number.isFinite(waitTimeout) ? now + waitTimeout : undefined;

/** Whether there is no valid API key: the service rejects it, or the function that returns it fails. */
export const lacksKey = (error: unknown): boolean =>
  AuthenticationError.is(error) ||
  (ConfigurationError.is(error) && error.message.startsWith('apiKey'));

/** Whether another submission under the same key can succeed. */
function canSubmitLater(error: unknown): boolean {
  if (APIError.is(error)) {
    return error.status >= 500 || error.status === 408 || error.status === 429;
  }
  return PolygateError.is(error) && !ConfigurationError.is(error);
}

/** Whether the service rejects a request for good, so that it makes no sense to repeat it. */
export const isRejected = (error: unknown): boolean => APIError.is(error) && !canSubmitLater(error);

/** The delay that the service has requested, in ms. */
const retryAfterOf = (error: unknown): number | undefined =>
  APIError.is(error) ? error.retryAfterMs : undefined;

/** The limit that a response reports; a hint if a submission reports none. */
export function reportedLimit(error: unknown): Move['limit'] {
  const limit = APIError.is(error) ? error.meta.concurrency.limit : undefined;
  return limit ?? (ConcurrencyLimitError.is(error) ? 'less' : undefined);
}

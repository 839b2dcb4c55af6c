import type { PolygateError } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/call.ts';
import { APIError, ResponseValidationError } from '../../errors/responses.ts';
import { isRecord } from '../../wire/types/type-guards.ts';

/** The delay before the first poll of a task in ms that the specification recommends. */
export const taskPollInterval = 2_000;

/**
 * The longest delay between two polls in ms, unless `maxPollInterval` is set, `pollInterval` is longer or the service
 * requests another delay.
 */
export const defaultMaxPollInterval = 5_000;

/** How long a wait for a task lasts at most in ms, unless the caller sets `waitTimeout`. */
export const defaultWaitTimeout = 30 * 60_000;

/** Shortest delay between two polls in ms, even if the service requests a shorter one. */
const minPollDelay = 100;

/**
 * The delay before the next poll, with up to 20% of jitter, and the longer interval for the poll after that. `interval`
 * is the delay without jitter, `retryAfterMs` that which the service has requested. All times are in ms.
 */
export function nextPollDelay({
  interval,
  maxInterval,
  retryAfterMs,
  random,
}: {
  readonly interval: number;
  readonly maxInterval: number;
  readonly retryAfterMs?: number | undefined;
  readonly random: () => number;
}): { delayMs: number; interval: number } {
  const jittered = Math.min(maxInterval, interval * (1 + 0.2 * random()));
  return {
    delayMs: Math.max(minPollDelay, retryAfterMs ?? jittered),
    interval: Math.min(maxInterval, interval * 1.25),
  };
}

/**
 * Whether a failed poll reveals nothing about the task, so that the wait continues: no response, a service that is
 * overloaded or down, a record that is not found, or a body that is not a record. These are more failures than a call
 * retries, because a task that was paid for must not be given up. Up to two 404s in a row may mean that the record is
 * not replicated yet.
 *
 * Rows of a queue are polled until their deadline instead: `afterFailedPoll` in `bullmq/decisions/task-plan.ts` says why.
 */
export function canPollLater(error: unknown, notFoundInRow: number): error is PolygateError {
  if (notFoundInRow > 2) return false;
  if (APIError.is(error)) return error.status === 404 || isTemporary(error.status);
  if (ResponseValidationError.is(error)) return !isInvalidRecord(error);
  return ConnectionError.is(error);
}

/**
 * Whether a poll has returned a record that is not valid, such as that of a task that has succeeded without a result.
 * Another poll would most likely return the same.
 */
export function isInvalidRecord(error: unknown): boolean {
  return ResponseValidationError.is(error) && isRecord(error.body);
}

/**
 * Whether a request that costs nothing, such as a poll or a download, may succeed later after a response with this
 * status: a timeout, a rate limit or an outage. It does not matter whether the request was carried out.
 */
export const isTemporary = (status: number): boolean =>
  status >= 500 || [408, 429].includes(status);

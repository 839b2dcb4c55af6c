import type { Clock } from '../config/clock.ts';
import { ClientSlots, createConcurrencyLimiter } from './concurrency-limiter.ts';
import type { TimeLimit } from './time-limit.ts';

/**
 * Maximum number of concurrent polls per account. Each needs a socket, so ten thousand waiting tasks must share them.
 */
const maxConcurrentPolls = 64;

/** Limits the polls of one account: first come, first served. */
export type PollLimiter = ReturnType<typeof createPollLimiter>;

/** Creates the poll limiter of one account: a function that waits for a turn, within a limit. */
export function createPollLimiter(clock: Clock) {
  const limiter = createConcurrencyLimiter(clock, { size: maxConcurrentPolls });
  const slots = new ClientSlots('auto');
  return (limit: () => TimeLimit) => limiter.acquire(slots, false, limit);
}

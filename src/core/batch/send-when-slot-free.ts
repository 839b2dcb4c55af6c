import { RequestTimeoutError } from '../../errors/connection.ts';
import { ConcurrencyLimitError } from '../../errors/status.ts';
import type { Config } from '../config/config.ts';
import { rowAborted } from './halt.ts';

/** Minimum delay before a row that found no free slot tries again, in ms. */
const minRetryDelay = 1_000;

/**
 * Repeats `send` until the service has a free concurrency slot. A single request gives up after `maxQueueTime` or
 * `totalTimeout`. A batch does not: if running tasks occupy the slots (assumption A14), each row has to wait until
 * earlier tasks end.
 */
export async function sendWhenSlotFree<Result>(
  send: () => Promise<Result>,
  { concurrency, clock }: Config,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const rejection = RequestTimeoutError.is(error) ? error.cause : error;
      const isLimited = concurrency !== false && ConcurrencyLimitError.is(rejection);
      // An earlier attempt may have been charged: report it instead of retrying.
      if (!isLimited || rejection.outcome === 'unknown') throw error;
      const delay = Math.max(minRetryDelay, rejection.retryAfterMs ?? 0);
      await clock.sleep(delay, signal).catch((cause: unknown) => {
        throw rowAborted(cause);
      });
    }
  }
}

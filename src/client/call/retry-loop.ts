import { monotonicNow } from '../config/clock.ts';
import { SlotLease } from '../limits/concurrency.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { CheckTime, TimeLimit } from '../limits/time-limit.ts';
import { attempt } from './attempt.ts';
import { routeOf, waitsForSlot } from './call.ts';
import { reserveBudget } from './charges.ts';
import type { ApiResponse } from './response.ts';
import { decideRetry } from './retry.ts';
import type { Retry, RetryPolicy } from './retry.ts';
import type { RunningCall } from './running-call.ts';

/**
 * The retry loop. Each attempt reserves its price, waits for a slot and sends. After a failure, {@link decideRetry} decides
 * whether another attempt follows, and when.
 */
export async function runAttempts<Result>(
  running: RunningCall<Result>,
  signal: AbortSignal | undefined,
  checkTotal?: CheckTime,
): Promise<ApiResponse<Result>> {
  const { context, call, history, errors } = running;
  const { beforeAttempt } = call.observer ?? {};
  for (;;) {
    reserveBudget(running, 'queueing');
    const lease = waitsForSlot(call, context.config)
      ? await takeSlot(running, signal)
      : new SlotLease();
    let retry: Retry | undefined;
    try {
      // Other calls may have used up the budget while this one waited for its slot.
      reserveBudget(running, 'sending');
      // A journal that never finishes its write must not keep the slot of an aborted call.
      if (beforeAttempt) await runWithTimeLimit(beforeAttempt, { signal, errors });
      return await attempt(running, lease, signal, checkTotal);
    } catch (error) {
      lease.takeBack();
      retry = decideRetry(error, history.earlier, retryPolicyOf(running));
      if (!retry) throw error;
      // Record this before releasing the slot: the release would admit the next request, although the service has just rejected
      // one for lack of a slot.
      recordRetry(running, retry);
    } finally {
      lease.end();
    }
    await pause(running, retry, signal);
  }
}

/** What may be retried, and how often. */
function retryPolicyOf<Result>({ context, call, options }: RunningCall<Result>): RetryPolicy {
  const { config, shared } = context;
  return {
    safety: call.safety,
    waitsForSlot: waitsForSlot(call, config),
    maxRetries: options.maxRetries ?? config.maxRetries,
    maxRetryDelay: config.maxRetryDelay,
    hasRetryBudget: shared.retryBudget.isLeft,
    random: config.random,
  };
}

/** Records that another attempt follows: in the limits of the account, in the history and for all observers. */
function recordRetry<Result>(running: RunningCall<Result>, retry: Retry): void {
  const { context, call, history, span } = running;
  const { config, shared } = context;
  const { failure, delayMs, slotRejection } = retry;
  const { status } = failure;
  if (slotRejection) shared.concurrency.recordRejection(slotRejection.meta.concurrency, delayMs);
  else shared.retryBudget.spend();
  history.endAttempt(retry);
  const { earlier, attempts } = history;
  if (!slotRejection) {
    config.log.warn(
      () =>
        `${routeOf(call)}: ${status ?? 'no complete response'}; retry ${earlier.retries} in ${Math.round(delayMs)} ms`,
    );
  }
  span?.event({ type: 'retry', attempt: attempts, status, delayMs });
  call.observer?.onRetry?.(earlier.outcome);
}

/** Waits until the next attempt is due. */
async function pause<Result>(
  { context, errors }: RunningCall<Result>,
  { delayMs, slotRejection }: Retry,
  signal: AbortSignal | undefined,
): Promise<void> {
  // After a rejection for lack of a slot, the limiter admits no call until the delay has passed.
  if (slotRejection || delayMs <= 0) return;
  try {
    await context.config.clock.sleep(delayMs, signal);
  } catch (error) {
    throw errors.aborted(signal?.reason ?? error);
  }
}

/** Waits for a concurrency slot, at most until `maxQueueTime` after the call began. */
async function takeSlot<Result>(
  { context, history, errors, span, startedAt }: RunningCall<Result>,
  signal: AbortSignal | undefined,
): Promise<SlotLease> {
  const { config, shared, slots } = context;
  const { clock, maxQueueTime } = config;
  /** When the call began to wait, unless it got a slot immediately. */
  let queuedAt: number | undefined;
  const startWaiting = (): TimeLimit => {
    queuedAt = monotonicNow(clock);
    const ms = Math.max(0, startedAt + maxQueueTime - queuedAt);
    return { clock, signal, ms, errors, onTimeout: () => errors.queueTimeout(maxQueueTime) };
  };
  history.isQueued = true;
  try {
    const wasRejected = history.earlier.slotRejections > 0;
    return new SlotLease(await shared.concurrency.acquire(slots, wasRejected, startWaiting));
  } finally {
    history.isQueued = false;
    if (queuedAt !== undefined) span?.event({ type: 'queued', ms: monotonicNow(clock) - queuedAt });
  }
}

import { ConnectionError } from '../../errors/call.ts';
import { monotonicNow } from '../config/clock.ts';
import { SlotLease } from '../limits/concurrency.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { CheckTime, TimeLimit } from '../limits/time-limit.ts';
import { routeOf, waitsForSlot } from './api-request.ts';
import { attempt } from './attempt.ts';
import type { Call } from './call.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { decideRetry } from './retry.ts';
import type { Retry, RetryPolicy } from './retry.ts';

/**
 * The retry loop. Each attempt reserves its price, waits for a slot and sends. After a failure, {@link decideRetry} decides
 * whether another attempt follows, and when.
 */
export async function runAttempts<Result>(
  call: Call,
  handle: ResponseHandler<Result>,
  signal: AbortSignal | undefined,
  checkTotal?: CheckTime,
): Promise<ApiResponse<Result>> {
  const { beforeAttempt, mayRetry } = call.request.observer ?? {};
  for (;;) {
    if (call.budget) await call.budget.prepare(signal);
    const lease = waitsForSlot(call.request, call.config)
      ? await takeSlot(call, signal)
      : new SlotLease();
    let retry: Retry | undefined;
    try {
      // A journal that never finishes its write must not keep the slot of an aborted call.
      if (beforeAttempt) await runWithTimeLimit(beforeAttempt, { signal, errors: call });
      return await attempt(call, handle, lease, signal, checkTotal);
    } catch (error) {
      lease.takeBack();
      retry = decideRetry(error, call.earlier, retryPolicyOf(call));
      if (!retry || (mayRetry && !(await mayRetry()))) throw error;
      // Record this before releasing the slot: the release would admit the next request, although the service has just rejected
      // one for lack of a slot.
      recordRetry(call, retry, error);
      // Others may hold the slot that it needs next.
      call.budget?.passTurn();
    } finally {
      lease.end();
    }
    await pause(call, retry, signal);
  }
}

/** Waits for a concurrency slot, at most until `maxQueueTime` after the call began. */
async function takeSlot(call: Call, signal: AbortSignal | undefined): Promise<SlotLease> {
  const { config, shared, slots } = call.context;
  const { clock, maxQueueTime } = config;
  /** When the call began to wait, unless it got a slot immediately. */
  let queuedAt: number | undefined;
  const startWaiting = (): TimeLimit => {
    queuedAt = monotonicNow(clock);
    const ms = Math.max(0, call.startedAt + maxQueueTime - queuedAt);
    return { clock, signal, ms, errors: call, onTimeout: () => call.queueTimeout(maxQueueTime) };
  };
  call.isQueued = true;
  try {
    const wasRejected = call.earlier.slotRejections > 0;
    return new SlotLease(await shared.concurrency.acquire(slots, wasRejected, startWaiting));
  } finally {
    call.isQueued = false;
    if (queuedAt !== undefined) {
      call.span?.event({ type: 'queued', ms: monotonicNow(clock) - queuedAt });
    }
  }
}

/** What may be retried, and how often. */
function retryPolicyOf({ context, request, options }: Call): RetryPolicy {
  const { config, shared } = context;
  return {
    safety: request.safety,
    waitsForSlot: waitsForSlot(request, config),
    maxRetries: options.maxRetries ?? config.maxRetries,
    maxRetryDelay: config.maxRetryDelay,
    hasRetryBudget: shared.retryBudget.isLeft,
    random: config.random,
  };
}

/** Records that another attempt follows: in the limits of the account, in the history and for all observers. */
function recordRetry(call: Call, retry: Retry, error: unknown): void {
  const { request, span } = call;
  const { config, shared } = call.context;
  const { failure, delayMs, slotRejection } = retry;
  const { status } = failure;
  if (slotRejection) shared.concurrency.recordRejection(slotRejection.meta.concurrency, delayMs);
  else shared.retryBudget.spend();
  call.endAttempt(retry);
  const { earlier, attempts } = call;
  if (!slotRejection) {
    config.log.warn(
      () =>
        `${routeOf(request)}: ${status ?? missingResponse(error)}; retry ${earlier.retries} in ${Math.round(delayMs)} ms`,
    );
  }
  span?.event({ type: 'retry', attempt: attempts, status, delayMs });
  request.observer?.onRetry?.(earlier.outcome, error);
}

/** Why there is no status, in a log message. */
function missingResponse(error: unknown): string {
  if (!ConnectionError.is(error) || error.outcome !== 'not-sent') return 'no complete response';
  return error.reason === 'connection-refused' ? 'connection refused' : 'could not connect';
}

/** Waits until the next attempt is due. */
async function pause(
  call: Call,
  { delayMs, slotRejection }: Retry,
  signal: AbortSignal | undefined,
): Promise<void> {
  // After a rejection for lack of a slot, the limiter admits no call until the delay has passed.
  if (slotRejection || delayMs <= 0) return;
  try {
    await call.config.clock.sleep(delayMs, signal);
  } catch (error) {
    throw call.aborted(signal?.reason ?? error);
  }
}

import { PolygateError } from '../../errors/base.ts';
import { monotonicNow } from '../config/clock.ts';
import { SlotLease } from '../limits/slot-lease.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { TimeLimit } from '../limits/time-limit.ts';
import { routeOf } from './api-call.ts';
import type { ApiCall } from './api-call.ts';
import { attempt } from './attempt/attempt.ts';
import { openReservation, reserveBudget } from './attempt/charges.ts';
import { CallHistory } from './attempt/history.ts';
import type { ClientContext } from './context.ts';
import { CallErrors } from './failure/errors.ts';
import { decideRetry } from './failure/retry.ts';
import type { Retry } from './failure/retry.ts';
import type { CheckedOptions } from './request-options.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import type { PreparedCall, RunningCall } from './running-call.ts';
import { sendToModels } from './send-to-models.ts';
import { startCallSpan } from './telemetry.ts';

/** Executes an API call. Every request of the client is one, except downloads. */
export function execute<Result>(
  context: ClientContext,
  prepared: PreparedCall,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { call, options, fallback } = prepared;
  return fallback
    ? sendToModels(context, prepared, fallback, (...sent) => sendToModel(context, ...sent, handle))
    : sendToModel(context, call, options, handle);
}

/**
 * Sends a call to its model: attempts and retries until there is a result or a final error. The time limit of the call, its
 * span and its part in the budget end with it.
 */
function sendToModel<Result>(
  context: ClientContext,
  call: ApiCall,
  options: CheckedOptions,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { config } = context;
  const { clock } = config;
  const now = monotonicNow(clock);
  const { signal, totalTimeout = config.totalTimeout, startedAt = now } = options;
  const history = new CallHistory();
  const errors = new CallErrors(call, history, options.idempotencyKey);
  const span = config.telemetry && startCallSpan(config, call, options.parent);
  const reservation = call.paid
    ? openReservation(context, call, options.idempotencyKey)
    : undefined;
  const running: RunningCall<Result> = {
    context,
    call,
    options,
    handle,
    history,
    errors,
    span,
    reservation,
    usesSlot: call.usesSlot === true && config.concurrency !== false,
    startedAt: now,
  };
  const result =
    totalTimeout === undefined
      ? runAttempts(running, signal)
      : runWithTimeLimit((limited) => runAttempts(running, limited), {
          clock,
          signal,
          ms: startedAt + totalTimeout - now,
          errors,
          onTimeout: () => errors.timeout(totalTimeout, 'totalTimeout'),
        });
  if (!reservation && !span) return result;
  return result.then(
    (response) => {
      // A stream continues after the call, and ends its span itself.
      if (!history.lease?.isTransferred) span?.end(response);
      return response;
    },
    (error: unknown) => {
      if (error instanceof PolygateError) reservation?.leave(error);
      span?.end({ error });
      throw error;
    },
  );
}

/**
 * The retry loop. Each attempt reserves budget, waits for a slot and sends. After a failure, {@link decideRetry} decides
 * what follows.
 */
async function runAttempts<Result>(
  running: RunningCall<Result>,
  signal: AbortSignal | undefined,
): Promise<ApiResponse<Result>> {
  const { context, options, history, errors } = running;
  const { clock, timeout } = context.config;
  const { timeout: ms = running.call.timeout ?? timeout } = options;
  for (;;) {
    reserveBudget(running, false);
    const lease = running.usesSlot ? await takeSlot(running, signal) : new SlotLease();
    history.lease = lease;
    let retry: Retry;
    try {
      // Other calls may have used up the budget while this one waited for its slot.
      reserveBudget(running, true);
      const ready = running.call.observer?.beforeAttempt?.();
      if (ready) await ready;
      const limit = { clock, signal, ms, errors };
      const response = await runWithTimeLimit((limited) => attempt(running, lease, limited), limit);
      lease.end();
      return response;
    } catch (error) {
      try {
        retry = prepareRetry(running, error);
      } finally {
        lease.fail();
      }
    }
    // After a rejection for lack of a slot, the limiter admits no call until the delay has passed.
    if (retry.slotRejection || retry.delayMs <= 0) continue;
    try {
      await clock.sleep(retry.delayMs, signal);
    } catch (error) {
      throw errors.aborted(signal?.reason ?? error);
    }
  }
}

/** Waits for a concurrency slot. */
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
    const wasRejected = history.slotRejections > 0;
    return new SlotLease(await shared.concurrency.acquire(slots, wasRejected, startWaiting));
  } finally {
    history.isQueued = false;
    if (queuedAt !== undefined) span?.event({ type: 'queued', ms: monotonicNow(clock) - queuedAt });
  }
}

/** Prepares the next attempt, or throws the error if it is final. */
function prepareRetry<Result>(running: RunningCall<Result>, error: unknown): Retry {
  const { context, call, options, history, span, usesSlot } = running;
  const { config, shared } = context;
  const retry = decideRetry(error, history, {
    safety: call.safety,
    usesSlot,
    maxRetries: options.maxRetries ?? config.maxRetries,
    maxRetryDelay: config.maxRetryDelay,
    hasRetryBudget: shared.retryBudget.isLeft,
    random: config.random,
  });
  if (!retry) throw error;
  const { failure, delayMs, slotRejection } = retry;
  const { status } = failure;
  if (slotRejection) {
    shared.concurrency.recordRejection(slotRejection.meta.concurrency, delayMs);
    history.slotRejection = slotRejection;
    history.slotRejections += 1;
  } else {
    shared.retryBudget.spend();
    history.retries += 1;
    config.log.warn(
      () =>
        `${routeOf(call)}: ${status ?? 'no complete response'}; retry ${history.retries} in ${Math.round(delayMs)} ms`,
    );
  }
  history.endAttempt(failure.outcome);
  span?.event({ type: 'retry', attempt: history.attempts, status, delayMs });
  call.observer?.onRetry?.(history.previousOutcome);
  return retry;
}

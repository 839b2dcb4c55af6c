import { PolygateError } from '../../errors/base.ts';
import { captureContext } from '../config/caller-context.ts';
import { monotonicNow } from '../config/clock.ts';
import { Part } from '../http/part.ts';
import { SlotLease } from '../limits/slot-lease.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import { needsSlot, routeOf } from './api-call.ts';
import type { ApiCall } from './api-call.ts';
import { attempt } from './attempt/attempt.ts';
import { openReservation, reserveBudget } from './attempt/charges.ts';
import { CallHistory } from './attempt/history.ts';
import { takeSlot } from './attempt/take-slot.ts';
import type { ClientContext } from './context.ts';
import { CallErrors } from './failure/errors.ts';
import { decideRetry } from './failure/retry.ts';
import type { Retry, RetryPolicy } from './failure/retry.ts';
import type { CheckedOptions } from './request-options.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import type { PreparedCall, RunningCall } from './running-call.ts';
import { startCallSpan } from './telemetry.ts';

export const fallbackLoop = /* @__PURE__ */ new Part(() => import('./send-to-models.ts'));

/**
 * Executes an API call. Every request of the client is one, except downloads. The parts of the client that the call needs
 * are loaded before anything is sent.
 */
export function execute<Result>(
  context: ClientContext,
  prepared: PreparedCall,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { fallback, parts = [] } = prepared;
  const { part } = context.transport;
  // No array is created for the calls that have all their parts, which are nearly all.
  const isReady = isLoaded(part) && (!fallback || isLoaded(fallbackLoop)) && parts.every(isLoaded);
  if (isReady) return runCall(context, prepared, handle);
  const needed = [part, fallback && fallbackLoop, ...parts].filter((each) => each !== undefined);
  return loadAndRun(context, prepared, handle, needed);
}

function isLoaded(part: Part<unknown> | undefined): boolean {
  return part === undefined || part.loaded !== undefined;
}

/** Loads parts in the time that the call has, and runs it in the context of the caller. */
async function loadAndRun<Result>(
  context: ClientContext,
  prepared: PreparedCall,
  handle: ResponseHandler<Result>,
  parts: readonly Part<unknown>[],
): Promise<ApiResponse<Result>> {
  const { config } = context;
  const enter = captureContext(config);
  const { call, options } = prepared;
  const { signal, idempotencyKey, startedAt = monotonicNow(config.clock) } = options;
  const { totalTimeout = config.totalTimeout ?? Infinity } = options;
  const timeout = Math.min(options.timeout ?? call.timeout ?? config.timeout, totalTimeout);
  const details = { outcome: 'not-sent', idempotencyKey, task: call.task } as const;
  await Promise.all(
    parts.map((part) => part.load({ signal, timeout, clock: config.clock, details })),
  );
  const sent = { ...prepared, options: { ...options, startedAt } };
  return enter(() => runCall(context, sent, handle));
}

/** Runs a call on its model, or on its models one after the other. */
function runCall<Result>(
  context: ClientContext,
  prepared: PreparedCall,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { call, options, fallback } = prepared;
  if (!fallback) return runOnModel(context, call, options, handle);
  // Loaded, and called now: the context of the caller ends with this function.
  return fallbackLoop.use(context.config, ({ sendToModels }) =>
    sendToModels(context, prepared, fallback, (...sent) => runOnModel(context, ...sent, handle)),
  );
}

/**
 * Runs a call on its model: attempts and retries until there is a result or a final error. The time limit of the call, its
 * span and its reservation end with it.
 */
function runOnModel<Result>(
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
    usesSlot: needsSlot(call, config),
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
 * The retry loop. Each attempt reserves its price, waits for a slot and sends. After a failure, {@link decideRetry} decides
 * whether another attempt follows, and when.
 */
async function runAttempts<Result>(
  running: RunningCall<Result>,
  signal: AbortSignal | undefined,
): Promise<ApiResponse<Result>> {
  const { history, usesSlot } = running;
  for (;;) {
    reserveBudget(running, 'queueing');
    const lease = usesSlot ? await takeSlot(running, signal) : new SlotLease();
    history.lease = lease;
    let retry: Retry | undefined;
    try {
      return await attempt(running, lease, signal);
    } catch (error) {
      lease.takeBack();
      retry = decideRetry(error, history.earlier, retryPolicyOf(running));
      if (!retry) throw error;
      // While the attempt still holds its slot: a rejection for lack of one closes the queue, which its release would open.
      recordRetry(running, retry);
    } finally {
      lease.end();
    }
    await pause(running, retry, signal);
  }
}

/** What may be retried, and how often. */
function retryPolicyOf<Result>({
  context,
  call,
  options,
  usesSlot,
}: RunningCall<Result>): RetryPolicy {
  const { config, shared } = context;
  return {
    safety: call.safety,
    usesSlot,
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

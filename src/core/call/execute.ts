import type { APIError } from '../../errors/api.ts';
import { PolygateError } from '../../errors/base.ts';
import { ConcurrencyLimitError } from '../../errors/status.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { notify } from '../config/log.ts';
import { buildRequestHeaders, resolveApiKey } from '../http/request-headers.ts';
import { readBodyText } from '../http/response-body.ts';
import { parseResponseMeta } from '../http/response-meta.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { fitsBudget } from '../limits/budget.ts';
import type { ReleaseSlot } from '../limits/concurrency-limiter.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { ApiCall } from './api-call.ts';
import type { ClientContext } from './context.ts';
import { CallErrors } from './errors.ts';
import type { CheckedOptions } from './request-options.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { backoff, classifyFailure, isRetryable } from './retry.ts';

/** A larger error body counts as empty. */
const maxErrorBodyBytes = 1_048_576;

/** Minimum delay before a call requests a slot again after repeated rejections, in ms. */
const minQueueDelay = 100;

/**
 * Executes an API call: attempts and retries until there is a result or a final error. Each attempt reserves budget,
 * waits for a slot, sends, and decides whether to retry.
 */
export function execute<Result>(
  context: ClientContext,
  call: ApiCall,
  options: CheckedOptions,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  const { config, slots } = context;
  const { ledger, prices, concurrency: limiter, retryBudget } = context.shared;
  const { clock, budget, maxQueueTime } = config;
  const { method, template, path = template, safety } = call;
  const { idempotencyKey, totalTimeout = config.totalTimeout } = options;
  const route = `${method} ${template}`;
  const usesSlot = call.usesSlot && config.concurrency !== false;
  const errors = new CallErrors(call, idempotencyKey);
  /** Calls with one key share a reservation if the key is charged at most once. `errors` identifies any other call. */
  const reservationOwner = safety === 'keyed' ? idempotencyKey : errors;
  const startedAt = clock.now();
  /** Aborts when the caller aborts or `totalTimeout` expires. */
  let { signal } = options;
  let retries = 0;
  let slotRejections = 0;
  /** The error of the last response that rejected the call for lack of a slot. */
  let lastSlotRejection: APIError | undefined;
  let isQueued = false;
  let hasReservation = false;

  const result = totalTimeout === undefined ? runAttempts() : runWithTotalTimeout(totalTimeout);
  return call.paid && budget ? result.catch(endReservation) : result;

  function runWithTotalTimeout(ms: number): Promise<ApiResponse<Result>> {
    const limit = timeLimit(ms, 'totalTimeout');
    const work = (limited: AbortSignal) => {
      signal = limited;
      return runAttempts();
    };
    const onTimeout = () => limit.onTimeout(isQueued ? queueTimeout(ms) : undefined);
    return runWithTimeLimit(work, { ...limit, onTimeout });
  }

  function endReservation(error: unknown): never {
    if (error instanceof PolygateError)
      ledger.leaveReservation(reservationOwner, errors, error.outcome);
    throw error;
  }

  async function runAttempts(): Promise<ApiResponse<Result>> {
    for (;;) {
      reserveBudget();
      const release = await acquireSlot();
      /** Whether a stream keeps the slot after the call. */
      let isRetained = false;
      const retainSlot = () => {
        isRetained = true;
        return release;
      };
      let delayMs: number;
      try {
        // Other calls may have used up the budget while this one waited for its slot.
        reserveBudget();
        return await runWithTimeLimit(
          (attemptSignal) => attempt(attemptSignal, retainSlot),
          timeLimit(options.timeout ?? call.timeout ?? config.timeout, 'timeout'),
        );
      } catch (error) {
        isRetained = false;
        delayMs = prepareRetry(error);
      } finally {
        if (!isRetained) release();
      }
      if (delayMs > 0) {
        await clock.sleep(delayMs, signal).catch((error: unknown) => {
          throw errors.aborted(signal?.reason ?? error);
        });
      }
    }
  }

  /** Reserves the estimated price, or throws if the budget does not cover it. */
  function reserveBudget(): void {
    if (!call.paid || !budget || hasReservation || ledger.hasCharge(reservationOwner)) return;
    const price = call.estimateUsd?.(prices.get(call.model ?? ''));
    const commitments = ledger.commitments(reservationOwner);
    if (!fitsBudget(budget, commitments, price)) {
      throw errors.budgetExceeded(budget, commitments, price);
    }
    if (price === undefined) return;
    ledger.reserve(reservationOwner, errors, price);
    hasReservation = true;
  }

  async function acquireSlot(): Promise<ReleaseSlot> {
    if (!usesSlot) return () => undefined;
    isQueued = true;
    const release = await limiter.acquire(slots, slotRejections > 0, () => ({
      ...timeLimit(Math.max(0, startedAt + maxQueueTime - clock.now()), 'maxQueueTime'),
      onTimeout: () => queueTimeout(maxQueueTime),
    }));
    isQueued = false;
    return release;
  }

  /** Why the call has no slot after `ms`. */
  function queueTimeout(ms: number): APIError {
    return lastSlotRejection ?? errors.queueTimeout(ms);
  }

  function timeLimit(ms: number, option: string) {
    return errors.timeLimit(clock, signal, ms, option);
  }

  function onSend(): void {
    errors.requestSent = true;
    call.observer?.onSend();
  }

  /**
   * Records what any response reports: its charge, the account's limits, and that the service works. Runs even if the
   * caller has aborted: every charge must reach the ledger.
   */
  function recordResponse(response: Response, isLate: boolean): () => ResponseMeta {
    let parsed: ResponseMeta | undefined;
    const meta = () => (parsed ??= parseResponseMeta(response, config));
    const { status } = response;
    // The response to an attempt that has timed out must not be taken for that of the next one.
    if (!isLate) errors.readMeta = meta;
    call.observer?.onResponse(status);
    config.log.debug(
      () => `${route}: status ${status}, request id ${meta().requestId ?? 'unknown'}`,
    );
    if (status < 400) retryBudget.refund();
    if (call.usesSlot && (status < 400 || meta().concurrency.limit !== undefined)) {
      limiter.recordLimits(meta().concurrency);
    }
    if (!call.paid) return meta;
    if (response.ok || meta().chargeUsd !== undefined) ledger.releaseReservation(reservationOwner);
    const charge = ledger.record({ route, model: call.model, idempotencyKey }, meta());
    if (charge !== undefined) {
      config.log.info(() => `${route}: charged ${charge.usd} USD`);
      notify(config.log, config.onCharge, charge, 'onCharge');
    }
    return meta;
  }

  async function attempt(
    attemptSignal: AbortSignal,
    retainSlot: () => ReleaseSlot,
  ): Promise<ApiResponse<Result>> {
    let meta: (() => ResponseMeta) | undefined;
    const onResponse = (received: Response) =>
      (meta ??= recordResponse(received, attemptSignal.aborted));
    let response: Response;
    try {
      const pendingKey = call.credentials === false ? null : resolveApiKey(config);
      const apiKey = pendingKey instanceof Promise ? await pendingKey : pendingKey;
      attemptSignal.throwIfAborted();
      const headers = buildRequestHeaders(call, options, config, apiKey);
      errors.authorization = headers.authorization;
      const request = {
        ...config.fetchOptions,
        method,
        headers,
        body: call.body ?? null,
        signal: attemptSignal,
      };
      const retryCount = retries + slotRejections;
      response = await context.transport(config.baseURL + path, request, {
        retryCount,
        onSend,
        onResponse,
      });
    } catch (error) {
      throw errors.sendError(error);
    }
    meta = onResponse(response);
    if (attemptSignal.aborted) response.body?.cancel().catch(() => undefined);
    attemptSignal.throwIfAborted();
    if (response.ok) {
      const received = { response, meta, errors, config, retainSlot, signal: attemptSignal };
      return { response, meta, data: await handle(received) };
    }
    const text = await readBodyText(response, maxErrorBodyBytes, attemptSignal).catch(() => '');
    throw errors.apiError(meta(), text, parseRetryAfter(response.headers, clock.now()));
  }

  /** Prepares the next attempt and returns the delay before it in ms. Throws the error if it is final. */
  function prepareRetry(error: unknown): number {
    const failure = classifyFailure(error);
    if (!failure || !isRetryable(failure, safety)) throw error;
    const { status, outcome, retryAfterMs = 0 } = failure;
    const { maxRetryDelay, random } = config;
    // A longer `Retry-After` fails the call immediately.
    if (retryAfterMs > maxRetryDelay) throw error;
    const isSlotRejection = usesSlot && error instanceof ConcurrencyLimitError;
    const jitter = backoff(isSlotRejection ? slotRejections : retries, random);
    const delayMs = Math.max(retryAfterMs, Math.min(maxRetryDelay, jitter));
    if (isSlotRejection) {
      const minDelayMs = slotRejections > 0 ? minQueueDelay : 0;
      // The limiter admits no call until the delay has passed, so no sleep is needed here.
      limiter.recordRejection(error.meta.concurrency, Math.max(minDelayMs, delayMs));
      lastSlotRejection = error;
      slotRejections += 1;
    } else {
      if (retries >= (options.maxRetries ?? config.maxRetries) || !retryBudget.trySpend())
        throw error;
      retries += 1;
      config.log.warn(
        () =>
          `${route}: ${status ?? 'no complete response'}; retry ${retries} in ${Math.round(delayMs)} ms`,
      );
    }
    errors.startNextAttempt(outcome);
    return isSlotRejection ? 0 : delayMs;
  }
}

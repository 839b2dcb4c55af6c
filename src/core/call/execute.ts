import { PolygateError } from '../../errors/base.ts';
import { ConcurrencyLimitError } from '../../errors/status.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { buildRequestHeaders, resolveApiKey } from '../http/request-headers.ts';
import { readBodyText } from '../http/response-body.ts';
import { parseResponseMeta } from '../http/response-meta.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import type { HttpRequest } from '../http/transport.ts';
import type { ReleaseSlot } from '../limits/concurrency-limiter.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { TimeLimit } from '../limits/time-limit.ts';
import type { ApiCall } from './api-call.ts';
import type { ClientContext } from './context.ts';
import { CallErrors } from './errors.ts';
import type { CheckedOptions } from './request-options.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { backoff, classifyFailure, isRetryable } from './retry.ts';
import { createSpending } from './spending.ts';
import { startSpan } from './telemetry.ts';

/** A larger error body counts as empty. */
const maxErrorBodyBytes = 1_048_576;

/** Minimum delay before a call requests a slot again after repeated rejections, in ms. */
const minQueueDelay = 100;

const nothing = () => undefined;

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
  const { config, transport, shared, slots } = context;
  const { clock, maxQueueTime, maxRetryDelay } = config;
  const { totalTimeout = config.totalTimeout } = options;
  const startedAt = clock.now();
  const errors = new CallErrors(call, options.idempotencyKey);
  const span =
    config.telemetry &&
    startSpan(
      config,
      {
        type: 'call',
        method: call.method,
        template: call.template,
        baseURL: config.baseURL,
        model: call.model,
        stream: call.headers?.accept === 'text/event-stream',
        // A copy of bytes: telemetry must not be able to change what is sent.
        body: call.body?.slice(),
      },
      options.parent,
    );
  const spending = call.paid ? createSpending(context, call, errors, span) : undefined;
  const usesSlot = call.usesSlot && config.concurrency !== false;
  /** Aborts when the caller aborts or `totalTimeout` expires. */
  let { signal } = options;
  let retries = 0;
  let slotRejections = 0;
  let isQueued = false;
  /** Whether the response is a stream, which continues after the call and keeps its slot. */
  let isStream = false;

  const result =
    totalTimeout === undefined
      ? runAttempts()
      : runWithTimeLimit(
          (limited) => {
            signal = limited;
            return runAttempts();
          },
          {
            clock,
            signal,
            ms: totalTimeout,
            errors,
            onTimeout: () => errors.timeout(totalTimeout, 'totalTimeout', isQueued),
          },
        );
  if (!spending && !span) return result;
  return result.then(
    (response) => {
      if (!isStream) span?.end(response);
      return response;
    },
    (error: unknown) => {
      if (error instanceof PolygateError) spending?.leave(error);
      span?.end({ error });
      throw error;
    },
  );

  async function runAttempts(): Promise<ApiResponse<Result>> {
    for (;;) {
      spending?.reserve();
      isQueued = true;
      let release: ReleaseSlot = nothing;
      if (usesSlot) {
        /** When the call began to wait for a slot, unless it got one immediately. */
        let queuedAt = -1;
        try {
          release = await shared.concurrency.acquire(slots, slotRejections > 0, (): TimeLimit => {
            queuedAt = clock.now();
            const ms = Math.max(0, startedAt + maxQueueTime - queuedAt);
            return {
              clock,
              signal,
              ms,
              errors,
              onTimeout: () => errors.queueTimeout(maxQueueTime),
            };
          });
        } finally {
          if (queuedAt >= 0) span?.event({ type: 'queued', ms: clock.now() - queuedAt });
        }
      }
      isQueued = false;
      const retainSlot = () => {
        isStream = true;
        return release;
      };
      let delayMs: number;
      try {
        // Other calls may have used up the budget while this one waited for its slot.
        spending?.reserve();
        const { timeout: ms = call.timeout ?? config.timeout } = options;
        return await runWithTimeLimit((attemptSignal) => attempt(attemptSignal, retainSlot), {
          clock,
          signal,
          ms,
          errors,
        });
      } catch (error) {
        isStream = false;
        delayMs = prepareRetry(error);
      } finally {
        if (!isStream) release();
      }
      try {
        if (delayMs > 0) await clock.sleep(delayMs, signal);
      } catch (error) {
        throw errors.aborted(signal?.reason ?? error);
      }
    }
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
      // `cache` is added below: a spread that adds a property takes longer than everything else here.
      const request: HttpRequest = {
        method: call.method,
        headers,
        body: call.body ?? null,
        signal: attemptSignal,
        // A redirect could take the API key elsewhere.
        redirect: 'manual',
      };
      if (config.cache) request.cache = config.cache;
      const send = () =>
        transport(config.baseURL + (call.path ?? call.template), request, {
          retryCount: retries + slotRejections,
          onSend: () => {
            errors.requestSent = true;
            call.observer?.onSend?.();
          },
          onResponse,
        });
      response = await (span ? span.runAttempt(send) : send());
      meta = onResponse(response);
    } catch (error) {
      throw errors.sendError(error);
    }
    if (attemptSignal.aborted) response.body?.cancel().catch(() => undefined);
    attemptSignal.throwIfAborted();
    if (response.ok) {
      const received = {
        response,
        meta,
        call,
        errors,
        config,
        span,
        retainSlot,
        signal: attemptSignal,
      };
      return { response, meta, data: await handle(received) };
    }
    call.observer?.onRejection?.(response);
    const text = await readBodyText(response, maxErrorBodyBytes, attemptSignal).catch(() => '');
    throw errors.apiError(meta(), text, parseRetryAfter(response.headers, clock.now()));
  }

  /**
   * Records what any response reports: its charge, the account's limits, and that the service works. Runs even if the
   * caller has aborted: every charge must reach the ledger. Returns a function that parses the metadata.
   */
  function recordResponse(response: Response, isLate: boolean): () => ResponseMeta {
    const { status } = response;
    let parsed: ResponseMeta | undefined;
    const meta = () => (parsed ??= parseResponseMeta(response, config));
    // The response to an attempt that has timed out must not be taken for that of the next one.
    if (!isLate) errors.readMeta = meta;
    call.observer?.onResponse?.(response);
    config.log.debug(
      () => `${errors.route}: status ${status}, request id ${meta().requestId ?? 'unknown'}`,
    );
    if (status < 400) shared.retryBudget.refund();
    if (call.usesSlot && (status < 400 || meta().concurrency.limit !== undefined)) {
      shared.concurrency.recordLimits(meta().concurrency);
    }
    spending?.record(response.ok, meta());
    return meta;
  }

  /** Prepares the next attempt and returns the delay before it in ms. Throws the error if it is final. */
  function prepareRetry(error: unknown): number {
    const failure = classifyFailure(error);
    if (!failure || !isRetryable(failure, call.safety)) throw error;
    const { status, outcome, retryAfterMs = 0 } = failure;
    // A longer `Retry-After` fails the call immediately.
    if (retryAfterMs > maxRetryDelay) throw error;
    const isSlotRejection = usesSlot && error instanceof ConcurrencyLimitError;
    const jitter = backoff(isSlotRejection ? slotRejections : retries, config.random);
    const delayMs = Math.max(retryAfterMs, Math.min(maxRetryDelay, jitter));
    if (isSlotRejection) {
      const minDelayMs = slotRejections > 0 ? minQueueDelay : 0;
      // The limiter admits no call until the delay has passed, so no sleep is needed here.
      shared.concurrency.recordRejection(error.meta.concurrency, Math.max(minDelayMs, delayMs));
      errors.slotRejection = error;
      slotRejections += 1;
    } else {
      const { maxRetries = config.maxRetries } = options;
      if (retries >= maxRetries || !shared.retryBudget.trySpend()) throw error;
      retries += 1;
      config.log.warn(
        () =>
          `${errors.route}: ${status ?? 'no complete response'}; retry ${retries} in ${Math.round(delayMs)} ms`,
      );
    }
    span?.event({ type: 'retry', attempt: retries + slotRejections, status, delayMs });
    const outcomeSoFar = errors.startNextAttempt(outcome);
    call.observer?.onRetry?.(outcomeSoFar);
    return isSlotRejection ? 0 : delayMs;
  }
}

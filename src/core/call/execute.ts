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
import type { Spending } from './spending.ts';

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
  return new Execution(context, call, options, handle).run();
}

/** One call in progress. A class rather than closures, because every call creates one. */
class Execution<Result> {
  readonly #context: ClientContext;
  readonly #call: ApiCall;
  readonly #options: CheckedOptions;
  readonly #handle: ResponseHandler<Result>;
  readonly #errors: CallErrors;
  /** Undefined for calls that cost nothing. */
  readonly #spending: Spending | undefined;
  readonly #startedAt: number;
  /** Aborts when the caller aborts or `totalTimeout` expires. */
  #signal: AbortSignal | undefined;
  #retries = 0;
  #slotRejections = 0;
  #isQueued = false;

  constructor(
    context: ClientContext,
    call: ApiCall,
    options: CheckedOptions,
    handle: ResponseHandler<Result>,
  ) {
    this.#context = context;
    this.#call = call;
    this.#options = options;
    this.#handle = handle;
    this.#errors = new CallErrors(call, options.idempotencyKey);
    if (call.paid) this.#spending = createSpending(context, call, this.#errors);
    this.#startedAt = context.config.clock.now();
    this.#signal = options.signal;
  }

  get #usesSlot(): boolean {
    return Boolean(this.#call.usesSlot) && this.#context.config.concurrency !== false;
  }

  run(): Promise<ApiResponse<Result>> {
    const { totalTimeout = this.#context.config.totalTimeout } = this.#options;
    const result =
      totalTimeout === undefined ? this.#runAttempts() : this.#runWithTotalTimeout(totalTimeout);
    const spending = this.#spending;
    if (!spending) return result;
    return result.catch((error: unknown) => {
      if (error instanceof PolygateError) spending.leave(error.outcome);
      throw error;
    });
  }

  #runWithTotalTimeout(ms: number): Promise<ApiResponse<Result>> {
    const errors = this.#errors;
    const onTimeout = () =>
      errors.timeout(ms, 'totalTimeout', this.#isQueued ? errors.queueTimeout(ms) : undefined);
    const work = (limited: AbortSignal) => {
      this.#signal = limited;
      return this.#runAttempts();
    };
    return runWithTimeLimit(work, this.#timeLimit(ms, onTimeout));
  }

  async #runAttempts(): Promise<ApiResponse<Result>> {
    for (;;) {
      this.#spending?.reserve();
      const release = this.#usesSlot ? await this.#acquireSlot() : nothing;
      /** Whether a stream keeps the slot after the call. */
      let isRetained = false;
      const retainSlot = () => {
        isRetained = true;
        return release;
      };
      let delayMs: number;
      try {
        // Other calls may have used up the budget while this one waited for its slot.
        this.#spending?.reserve();
        const { timeout = this.#call.timeout ?? this.#context.config.timeout } = this.#options;
        return await runWithTimeLimit(
          (attemptSignal) => this.#attempt(attemptSignal, retainSlot),
          this.#timeLimit(timeout),
        );
      } catch (error) {
        isRetained = false;
        delayMs = this.#prepareRetry(error);
      } finally {
        if (!isRetained) release();
      }
      try {
        if (delayMs > 0) await this.#context.config.clock.sleep(delayMs, this.#signal);
      } catch (error) {
        throw this.#errors.aborted(this.#signal?.reason ?? error);
      }
    }
  }

  async #acquireSlot(): Promise<ReleaseSlot> {
    const { config, shared, slots } = this.#context;
    const { clock, maxQueueTime } = config;
    this.#isQueued = true;
    const release = await shared.concurrency.acquire(slots, this.#slotRejections > 0, () =>
      this.#timeLimit(Math.max(0, this.#startedAt + maxQueueTime - clock.now()), () =>
        this.#errors.queueTimeout(maxQueueTime),
      ),
    );
    this.#isQueued = false;
    return release;
  }

  #timeLimit(ms: number, onTimeout?: () => Error): TimeLimit {
    return this.#errors.timeLimit(this.#context.config.clock, this.#signal, ms, onTimeout);
  }

  async #attempt(
    attemptSignal: AbortSignal,
    retainSlot: () => ReleaseSlot,
  ): Promise<ApiResponse<Result>> {
    const { config, transport } = this.#context;
    const call = this.#call;
    const errors = this.#errors;
    let meta: (() => ResponseMeta) | undefined;
    const onResponse = (received: Response) =>
      (meta ??= this.#recordResponse(received, attemptSignal.aborted));
    let response: Response;
    try {
      const pendingKey = call.credentials === false ? null : resolveApiKey(config);
      const apiKey = pendingKey instanceof Promise ? await pendingKey : pendingKey;
      attemptSignal.throwIfAborted();
      const headers = buildRequestHeaders(call, this.#options, config, apiKey);
      errors.authorization = headers.authorization;
      // Without a spread of options, which would take longer than everything else here.
      const request: HttpRequest = {
        method: call.method,
        headers,
        body: call.body ?? null,
        signal: attemptSignal,
        // A redirect could take the API key elsewhere.
        redirect: 'manual',
      };
      if (config.cache) request.cache = config.cache;
      response = await transport(config.baseURL + (call.path ?? call.template), request, {
        retryCount: this.#retries + this.#slotRejections,
        onSend: () => {
          errors.requestSent = true;
          call.observer?.onSend();
        },
        onResponse,
      });
    } catch (error) {
      throw errors.sendError(error);
    }
    meta = onResponse(response);
    if (attemptSignal.aborted) response.body?.cancel().catch(() => undefined);
    attemptSignal.throwIfAborted();
    if (response.ok) {
      const received = { response, meta, call, errors, config, retainSlot, signal: attemptSignal };
      return { response, meta, data: await this.#handle(received) };
    }
    const text = await readBodyText(response, maxErrorBodyBytes, attemptSignal).catch(() => '');
    throw errors.apiError(meta(), text, parseRetryAfter(response.headers, config.clock.now()));
  }

  /**
   * Records what any response reports: its charge, the account's limits, and that the service works. Runs even if the
   * caller has aborted: every charge must reach the ledger. Returns a function that parses the metadata.
   */
  #recordResponse(response: Response, isLate: boolean): () => ResponseMeta {
    const { config, shared } = this.#context;
    const { usesSlot, observer } = this.#call;
    const { status } = response;
    let parsed: ResponseMeta | undefined;
    const meta = () => (parsed ??= parseResponseMeta(response, config));
    // The response to an attempt that has timed out must not be taken for that of the next one.
    if (!isLate) this.#errors.readMeta = meta;
    observer?.onResponse(status);
    config.log.debug(
      () => `${this.#errors.route}: status ${status}, request id ${meta().requestId ?? 'unknown'}`,
    );
    if (status < 400) shared.retryBudget.refund();
    if (usesSlot && (status < 400 || meta().concurrency.limit !== undefined)) {
      shared.concurrency.recordLimits(meta().concurrency);
    }
    this.#spending?.record(response.ok, meta());
    return meta;
  }

  /** Prepares the next attempt and returns the delay before it in ms. Throws the error if it is final. */
  #prepareRetry(error: unknown): number {
    const { config, shared } = this.#context;
    const failure = classifyFailure(error);
    if (!failure || !isRetryable(failure, this.#call.safety)) throw error;
    const { status, outcome, retryAfterMs = 0 } = failure;
    const { maxRetryDelay, random } = config;
    // A longer `Retry-After` fails the call immediately.
    if (retryAfterMs > maxRetryDelay) throw error;
    const isSlotRejection = this.#usesSlot && error instanceof ConcurrencyLimitError;
    const jitter = backoff(isSlotRejection ? this.#slotRejections : this.#retries, random);
    const delayMs = Math.max(retryAfterMs, Math.min(maxRetryDelay, jitter));
    if (isSlotRejection) {
      const minDelayMs = this.#slotRejections > 0 ? minQueueDelay : 0;
      // The limiter admits no call until the delay has passed, so no sleep is needed here.
      shared.concurrency.recordRejection(error.meta.concurrency, Math.max(minDelayMs, delayMs));
      this.#errors.slotRejection = error;
      this.#slotRejections += 1;
    } else {
      const { maxRetries = config.maxRetries } = this.#options;
      if (this.#retries >= maxRetries || !shared.retryBudget.trySpend()) throw error;
      this.#retries += 1;
      config.log.warn(
        () =>
          `${this.#errors.route}: ${status ?? 'no complete response'}; retry ${this.#retries} in ${Math.round(delayMs)} ms`,
      );
    }
    this.#errors.startNextAttempt(outcome);
    return isSlotRejection ? 0 : delayMs;
  }
}

import { APIError } from '../../errors/api.ts';
import { PolygateError } from '../../errors/base.ts';
import { buildRequestHeaders } from '../http/request-headers.ts';
import { readBodyText } from '../http/response-body.ts';
import { parseResponseMeta } from '../http/response-meta.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { sendHttpRequest } from '../http/transport.ts';
import { fitsBudget } from '../limits/budget.ts';
import type { ReleaseSlot } from '../limits/concurrency-limiter.ts';
import type { ApiCall } from './api-call.ts';
import type { ClientContext } from './context.ts';
import { CallErrors } from './errors.ts';
import type { CheckedOptions } from './request-options.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { classifyFailure, decideRetry, retryDelay } from './retry.ts';
import { runWithTimeLimit } from './time-limit.ts';
import { recordResponse } from './usage.ts';

/** A larger error body counts as empty. */
const maxErrorBodyBytes = 1_048_576;

/** Minimum delay before a call requests a slot again after repeated rejections, in ms. */
const minQueueDelay = 100;

/** The concurrency slot of one attempt. */
interface Slot {
  readonly release: ReleaseSlot;
  /** Whether a stream keeps the slot after the call. */
  retained: boolean;
}

/** Executes an API call: attempts and retries until there is a result or a final error. */
export async function execute<Result>(
  context: ClientContext,
  call: ApiCall,
  options: CheckedOptions,
  handle: ResponseHandler<Result>,
): Promise<ApiResponse<Result>> {
  return new CallExecution(context, call, options, handle).run();
}

/** One call in progress. Each iteration reserves budget, waits for a slot, sends, and decides whether to retry. */
class CallExecution<Result> {
  readonly #context: ClientContext;
  readonly #call: ApiCall;
  readonly #options: CheckedOptions;
  readonly #handle: ResponseHandler<Result>;
  readonly #errors: CallErrors;
  readonly #startedAt: number;
  /** Aborts when the caller aborts or `totalTimeout` expires. */
  #signal: AbortSignal | undefined;
  #retries = 0;
  #slotRejections = 0;
  /** Whether the call is waiting for a slot. */
  #isQueued = false;
  /** The error of the last response that rejected the call for lack of a slot. */
  #lastSlotRejection: APIError | undefined;
  #hasReservation = false;

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
    this.#startedAt = context.config.clock.now();
    this.#signal = options.signal;
  }

  async run(): Promise<ApiResponse<Result>> {
    const { totalTimeout: ms = this.#context.config.totalTimeout } = this.#options;
    try {
      if (ms === undefined) return await this.#runAttempts();
      const limit = this.#timeLimit(ms, 'totalTimeout');
      const work = async (signal: AbortSignal) => {
        this.#signal = signal;
        return this.#runAttempts();
      };
      const onTimeout = () => limit.onTimeout(this.#isQueued ? this.#queueTimeout(ms) : undefined);
      return await runWithTimeLimit(work, { ...limit, onTimeout });
    } catch (error) {
      if (PolygateError.is(error)) {
        const { ledger } = this.#context.shared;
        ledger.leaveReservation(this.#reservationOwner, this, error.outcome);
      }
      throw error;
    }
  }

  async #runAttempts(): Promise<ApiResponse<Result>> {
    for (;;) {
      this.#reserveBudget();
      const slot: Slot = { release: await this.#acquireSlot(), retained: false };
      let delayMs: number;
      try {
        // Other calls may have used up the budget while this one waited for its slot.
        this.#reserveBudget();
        return await this.#attempt(slot);
      } catch (error) {
        slot.retained = false;
        delayMs = this.#prepareRetry(error);
      } finally {
        if (!slot.retained) slot.release();
      }
      await this.#sleep(delayMs);
    }
  }

  /** Reserves the estimated price, or throws if the budget does not cover it. */
  #reserveBudget(): void {
    const { budget } = this.#context.config;
    const { ledger, prices } = this.#context.shared;
    const { paid, model = '', estimateUsd } = this.#call;
    const owner = this.#reservationOwner;
    if (!paid || budget === undefined || this.#hasReservation || ledger.hasCharge(owner)) return;
    const price = estimateUsd?.(prices.get(model));
    const commitments = ledger.commitments(owner);
    if (!fitsBudget(budget, commitments, price)) {
      throw this.#errors.budgetExceeded(budget, commitments, price);
    }
    if (price === undefined) return;
    ledger.reserve(owner, this, price);
    this.#hasReservation = true;
  }

  /** Calls with one key share a reservation if the key is charged at most once. */
  get #reservationOwner(): unknown {
    return this.#call.safety === 'keyed' ? this.#options.idempotencyKey : this;
  }

  async #acquireSlot(): Promise<ReleaseSlot> {
    const { concurrency, maxQueueTime, clock } = this.#context.config;
    if (!this.#call.usesSlot || concurrency === false) return () => undefined;
    const { slots, shared } = this.#context;
    const limiter = shared.concurrency;
    const wasRejected = this.#slotRejections > 0;
    const release = wasRejected ? undefined : limiter.tryAcquire(slots);
    if (release !== undefined) return release;
    this.#isQueued = true;
    return runWithTimeLimit((signal) => limiter.acquire(slots, signal, wasRejected), {
      ...this.#timeLimit(Math.max(0, this.#startedAt + maxQueueTime - clock.now()), 'maxQueueTime'),
      onTimeout: () => this.#queueTimeout(maxQueueTime),
      discard: (lateRelease) => lateRelease(),
    }).finally(() => {
      this.#isQueued = false;
    });
  }

  /** Why the call has no slot after `ms`. */
  #queueTimeout(ms: number): APIError {
    return this.#lastSlotRejection ?? this.#errors.queueTimeout(ms);
  }

  #attempt(slot: Slot): Promise<ApiResponse<Result>> {
    const ms = this.#options.timeout ?? this.#call.timeout ?? this.#context.config.timeout;
    return runWithTimeLimit(
      async (signal) => this.#receive(await this.#send(signal), signal, slot),
      this.#timeLimit(ms, 'timeout'),
    );
  }

  #timeLimit(ms: number, option: string) {
    return this.#errors.timeLimit(this.#context.config.clock, this.#signal, ms, option);
  }

  async #send(signal: AbortSignal): Promise<Response> {
    const { config } = this.#context;
    const errors = this.#errors;
    const { method, path, template } = this.#call;
    const headers = await buildRequestHeaders(this.#call, this.#options, config).catch(
      (error: unknown) => {
        throw errors.credentialsError(error);
      },
    );
    signal.throwIfAborted();
    errors.apiKey = headers.authorization?.replace(/^Bearer /, '') ?? '';
    errors.requestSent = true;
    this.#call.observer?.onSend();
    return sendHttpRequest(config.fetch, {
      url: config.baseURL + (path ?? template),
      method,
      headers,
      body: this.#call.body ?? null,
      signal,
    }).catch((error: unknown) => {
      throw errors.connectionError(error);
    });
  }

  async #receive(
    response: Response,
    signal: AbortSignal,
    slot: Slot,
  ): Promise<ApiResponse<Result>> {
    const { config } = this.#context;
    const errors = this.#errors;
    const meta = parseResponseMeta(response, config);
    errors.meta = meta;
    this.#call.observer?.onResponse(meta.status);
    // Runs even if the caller has aborted: every charge must reach the ledger.
    recordResponse(this.#context, this.#call, this.#options.idempotencyKey, meta);
    if (response.ok || meta.chargeUsd !== undefined) {
      this.#context.shared.ledger.releaseReservation(this.#reservationOwner);
    }
    if (signal.aborted) response.body?.cancel().catch(() => undefined);
    signal.throwIfAborted();
    if (response.ok) {
      const retainSlot = () => {
        slot.retained = true;
        return slot.release;
      };
      const data = await this.#handle({ response, meta, errors, config, retainSlot, signal });
      return { response, meta, data };
    }
    const text = await readBodyText(response, maxErrorBodyBytes, signal).catch(() => '');
    throw errors.apiError(meta, text, parseRetryAfter(response.headers, config.clock.now()));
  }

  /** Prepares the next attempt and returns the delay before it in ms. Throws the error if it is final. */
  #prepareRetry(error: unknown): number {
    const { config, shared } = this.#context;
    const failure = classifyFailure(error);
    if (failure === undefined) throw error;
    const { concurrency, maxRetryDelay } = config;
    const { usesSlot, safety } = this.#call;
    const apiError = error instanceof APIError ? error : undefined;
    const { retryAfterMs = 0 } = apiError ?? {};
    const decision = decideRetry(failure, safety);
    // A longer `Retry-After` fails the call immediately.
    if (decision === 'fail' || retryAfterMs > maxRetryDelay) throw error;
    if (decision === 'queue' && usesSlot && concurrency !== false) {
      const delayMs = retryDelay(this.#slotRejections, retryAfterMs, config);
      const minDelayMs = this.#slotRejections > 0 ? minQueueDelay : 0;
      this.#errors.startNextAttempt(failure.outcome);
      this.#lastSlotRejection = apiError;
      this.#slotRejections += 1;
      // The limiter admits no call until the delay has passed, so no sleep is needed here.
      const reported = apiError?.meta.concurrency ?? {};
      shared.concurrency.recordRejection(reported, Math.max(minDelayMs, delayMs));
      return 0;
    }
    const { maxRetries = config.maxRetries } = this.#options;
    if (this.#retries >= maxRetries || !shared.retryBudget.trySpend()) throw error;
    const delayMs = retryDelay(this.#retries, retryAfterMs, config);
    this.#errors.startNextAttempt(failure.outcome);
    this.#retries += 1;
    this.#logRetry(failure.status, delayMs);
    return delayMs;
  }

  #logRetry(status: number | undefined, delayMs: number): void {
    const { method, template } = this.#call;
    this.#context.config.log.warn(
      () =>
        `${method} ${template}: ${status ?? 'no complete response'}; retry ${this.#retries} in ${Math.round(delayMs)} ms`,
    );
  }

  async #sleep(ms: number): Promise<void> {
    const signal = this.#signal;
    if (ms === 0) return;
    await this.#context.config.clock.sleep(ms, signal).catch((error: unknown) => {
      throw this.#errors.aborted(signal?.reason ?? error);
    });
  }
}

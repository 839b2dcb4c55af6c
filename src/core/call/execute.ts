import { APIError } from '../../errors/api.ts';
import { PolygateError } from '../../errors/base.ts';
import { readBodyText } from '../http/response-body.ts';
import { fitsBudget } from '../limits/budget.ts';
import { buildRequestHeaders } from '../http/request-headers.ts';
import { CallErrors } from './failures.ts';
import type { Release } from '../limits/concurrency-limiter.ts';
import { runWithTimeLimit } from './time-limit.ts';
import { parseResponseMeta } from '../http/response-meta.ts';
import { checkRequestOptions } from './api-call.ts';
import type { ApiCall, CheckedOptions, RequestOptions } from './api-call.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { backoff, decideRetry, classifyFailure } from './retry.ts';
import type { Sender } from './sender.ts';
import { sendHttpRequest } from '../http/transport.ts';

/** A request does not come back for a slot more often than this, ms, whatever chance says. */
const leastPause = 100;

/** One call on its way: a slot, an attempt, and after a failure a decision. */
export class RequestExecution<Result> {
  readonly #sender: Sender;
  readonly #call: ApiCall;
  readonly #finish: ResponseHandler<Result>;
  readonly #options: CheckedOptions;
  readonly #failures: CallErrors;
  /** Serialised once: every attempt sends the same bytes. */
  readonly #body: string | null;
  readonly #since: number;
  #retries = 0;
  /** The last answer that said there is no slot, and how many did. */
  #refusal: APIError | undefined;
  #refusals = 0;
  #reserved = false;

  constructor(
    sender: Sender,
    call: ApiCall,
    options: RequestOptions | undefined,
    finish: ResponseHandler<Result>,
  ) {
    this.#sender = sender;
    this.#call = call;
    this.#finish = finish;
    this.#options = checkRequestOptions(options);
    this.#failures = new CallErrors(call, this.#options.idempotencyKey);
    this.#body = call.body === undefined ? null : JSON.stringify(call.body);
    this.#since = sender.config.clock.now();
  }

  /** Goes on until there is an answer, or it is final that there is none. */
  async answer(): Promise<ApiResponse<Result>> {
    try {
      return await this.#go();
    } catch (error) {
      // What may have been charged stays set aside, until the same key is asked again.
      if (PolygateError.is(error) && error.outcome !== 'unknown') this.#settle();
      throw error;
    }
  }

  async #go(): Promise<ApiResponse<Result>> {
    for (;;) {
      this.#checkBudget();
      const release = await this.#enter();
      let held = false;
      const hold = () => {
        held = true;
        return release;
      };
      let pause: number | undefined;
      try {
        this.#checkBudget();
        return await this.#attempt(hold);
      } catch (error) {
        held = false;
        pause = this.#decide(error);
        if (pause === undefined) throw error;
      } finally {
        if (!held) release();
      }
      this.#failures.beginAttempt();
      await this.#sleep(pause);
    }
  }

  /** Sets aside what the call will cost, or refuses it when the budget does not allow it. */
  #checkBudget(): void {
    const { budget } = this.#sender.config;
    const { ledger, prices } = this.#sender.shared;
    const { paid, model = '', estimateUsd: quote } = this.#call;
    const owner = this.#owner;
    if (!paid || budget === undefined || this.#reserved || ledger.hasCharge(owner)) return;
    const price = quote?.(prices.get(model));
    const taken = ledger.commitments(owner);
    if (!fitsBudget(budget, taken, price))
      throw this.#failures.budgetExceeded(budget, taken, price);
    if (price === undefined) return;
    ledger.reserve(owner, price);
    this.#reserved = true;
  }

  #settle(): void {
    this.#sender.shared.ledger.releaseReservation(this.#owner);
  }

  /** Whose the reservation is: of the key, however often it is asked; without one, of this call. */
  get #owner(): unknown {
    return this.#options.idempotencyKey ?? this;
  }

  /** Waits for a concurrency slot, where the call needs one. */
  async #enter(): Promise<Release> {
    const { config, shared } = this.#sender;
    const { concurrency, maxQueueTime, clock } = config;
    if (!this.#call.usesSlot || concurrency === false) return () => undefined;
    const cap = concurrency === 'auto' ? Infinity : concurrency;
    const again = this.#refusals > 0;
    const free = again ? undefined : shared.governor.take(cap);
    if (free !== undefined) return free;
    return runWithTimeLimit((signal) => shared.governor.wait(cap, signal, again), {
      ...this.#limits(Math.max(0, this.#since + maxQueueTime - clock.now())),
      onTimeout: () => this.#refusal ?? this.#failures.queueTimeout(maxQueueTime),
      discard: (release) => release(),
    });
  }

  /** One attempt, within its time. */
  #attempt(hold: () => Release): Promise<ApiResponse<Result>> {
    const { config } = this.#sender;
    const ms = this.#options.timeout ?? this.#call.timeout ?? config.timeout;
    return runWithTimeLimit((signal) => this.#exchange(signal, hold), this.#limits(ms));
  }

  #limits(ms: number) {
    return this.#failures.timeLimit(this.#sender.config.clock, this.#options.signal, ms);
  }

  /** Headers, `fetch`, answer. */
  async #exchange(signal: AbortSignal, hold: () => Release): Promise<ApiResponse<Result>> {
    const { config } = this.#sender;
    const failures = this.#failures;
    const { method, path, template } = this.#call;
    const headers = await buildRequestHeaders(this.#call, this.#options, config).catch(
      (error: unknown) => {
        throw failures.credentialsError(error);
      },
    );
    signal.throwIfAborted();
    failures.apiKey = headers.authorization?.replace(/^Bearer /, '') ?? '';
    failures.requestSent = true;
    const response = await sendHttpRequest(config.fetch, {
      url: config.baseURL + (path ?? template),
      method,
      headers,
      body: this.#body,
      signal,
    }).catch((error: unknown) => {
      throw failures.connectionError(error);
    });
    const meta = parseResponseMeta(response, config);
    failures.meta = meta;
    this.#sender.learn(this.#call, this.#options.idempotencyKey, meta);
    if (response.ok) this.#settle();
    if (signal.aborted) response.body?.cancel().catch(() => undefined);
    signal.throwIfAborted();
    if (response.ok) {
      const data = await this.#finish({
        response,
        meta,
        failures,
        config,
        retainSlot: hold,
        signal,
      });
      return { response, meta, data };
    }
    const text = await readBodyText(response, 1_048_576, signal).catch(() => '');
    throw failures.apiError(meta, text, parseRetryAfter(response.headers, config.clock.now()));
  }

  /** How long to wait before the next attempt, ms; undefined when the error is final. */
  #decide(error: unknown): number | undefined {
    const { config, shared } = this.#sender;
    const failure = classifyFailure(error);
    if (failure === undefined) return undefined;
    const verdict = decideRetry(failure, this.#call.safety);
    const answered = error instanceof APIError ? error : undefined;
    const retryAfterMs = answered?.retryAfterMs ?? 0;
    if (verdict === 'fail' || retryAfterMs > config.maxRetryDelay) return undefined;
    const { previousOutcome: earlier } = this.#failures;
    if (earlier !== 'unknown') this.#failures.previousOutcome = failure.outcome;
    const wait = (attempt: number) =>
      Math.max(retryAfterMs, Math.min(config.maxRetryDelay, backoff(attempt, config.random)));
    if (verdict === 'queue' && this.#call.usesSlot && config.concurrency !== false) {
      this.#refusal = answered;
      const pause = Math.max(this.#refusals > 0 ? leastPause : 0, wait(this.#refusals));
      shared.governor.refused(answered?.meta.concurrency ?? {}, pause);
      this.#refusals += 1;
      return 0;
    }
    const { maxRetries = config.maxRetries } = this.#options;
    if (this.#retries >= maxRetries || !shared.retries.take()) return undefined;
    const ms = wait(this.#retries);
    this.#retries += 1;
    const { method, template } = this.#call;
    config.log.warn(
      () =>
        `${method} ${template}: ${failure.status ?? 'no answer'}; retry ${this.#retries} in ${Math.round(ms)} ms`,
    );
    return ms;
  }

  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#options;
    if (ms === 0) return;
    await this.#sender.config.clock.sleep(ms, signal).catch((error: unknown) => {
      throw this.#failures.aborted(signal?.reason ?? error);
    });
  }
}

import { APIError } from '../../errors/api.ts';
import type { PolygateError } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import type { WaitOptions } from '../../schemas/task-handle.ts';
import { isRecord } from '../../schemas/type-guards.ts';
import { abortedError } from '../call/errors.ts';
import type { CheckedOptions, PollHeaders } from '../call/request-options.ts';
import { PollLimiter } from '../limits/poll-limiter.ts';
import { mergePollHeaders } from './poll-target.ts';
import type { PollTarget, Pollable, Polled } from './poll-target.ts';

/** Shortest delay between two polls in ms, even if the service requests a shorter one. */
const minPollDelay = 100;

/** One wait for a record: when it is polled next, and what ends the wait. */
export class Wait<Value extends Pollable> {
  readonly #target: PollTarget<Value>;
  readonly #signal: AbortSignal | undefined;
  readonly #headers: PollHeaders;
  readonly #waitTimeout: number;
  readonly #deadline: number;
  readonly #maxPollInterval: number;
  #last: Value | undefined;
  #lastPollAt: number;
  #retryAfterMs: number | undefined;
  /** The delay grows from `pollInterval` to `maxPollInterval`, with up to 20% of jitter. */
  #interval: number;
  #consecutive404s = 0;

  constructor(target: PollTarget<Value>, options: WaitOptions<never>) {
    const { pollInterval = target.pollInterval, waitTimeout = 1_800_000 } = options;
    const { data, at = -Infinity, retryAfterMs } = target.known ?? {};
    this.#target = target;
    this.#signal = options.signal;
    this.#headers = mergePollHeaders(target.headers, options);
    this.#waitTimeout = waitTimeout;
    this.#deadline = this.#clock.now() + waitTimeout;
    this.#maxPollInterval = options.maxPollInterval ?? Math.max(pollInterval, 5_000);
    this.#last = data;
    this.#lastPollAt = at;
    this.#retryAfterMs = retryAfterMs;
    this.#interval = pollInterval;
  }

  get #clock() {
    return this.#target.context.config.clock;
  }

  /** The finished record; undefined while the wait continues. */
  get finished(): Value | undefined {
    const last = this.#last;
    return last && this.#target.finalStatus.test(last.status) ? last : undefined;
  }

  /** Waits until the next poll is due, or the deadline. Rejects as soon as the signal aborts. */
  untilDue(): Promise<void> | undefined {
    this.#signal?.throwIfAborted();
    const jittered = this.#interval * (1 + 0.2 * this.#target.context.config.random());
    const delay = this.#retryAfterMs ?? Math.min(this.#maxPollInterval, jittered);
    const dueAt = this.#lastPollAt + Math.max(minPollDelay, delay);
    const ms = Math.min(dueAt, this.#deadline) - this.#clock.now();
    this.#interval *= 1.25;
    return ms > 0 ? this.#clock.sleep(ms, this.#signal) : undefined;
  }

  /**
   * Polls once, when other polls leave room for it. Resolves to the record, to the last known one with `pollError` if
   * the poll failed, or to undefined if none is known yet.
   */
  async poll(): Promise<Polled<Value> | undefined> {
    const { context } = this.#target;
    const signal = this.#signal;
    const polls = (context.shared.polls ??= new PollLimiter());
    const hasTurn = this.#remainingMs > 0 && polls.acquire(this.#clock, this.#remainingMs, signal);
    if (!(hasTurn === true || (await hasTurn))) throw this.#timeoutError();
    try {
      const timeout = Math.min(this.#remainingMs, context.config.timeout);
      return await this.#read({ ...this.#headers, signal, timeout, maxRetries: 0 });
    } catch (error) {
      return this.#afterFailure(error);
    } finally {
      polls.release();
      this.#lastPollAt = this.#clock.now();
    }
  }

  async #read(options: CheckedOptions): Promise<Polled<Value>> {
    const { data, retryAfterMs } = await this.#target.read(options);
    this.#last = data;
    this.#retryAfterMs = retryAfterMs;
    this.#consecutive404s = 0;
    // A copy, so that a caller that modifies it can neither change the task nor prolong the wait.
    return { ...data };
  }

  /** The update for a poll that failed. Throws the error if it ends the wait. */
  #afterFailure(error: unknown): Polled<Value> | undefined {
    const apiError = error instanceof APIError ? error : undefined;
    this.#consecutive404s = apiError?.status === 404 ? this.#consecutive404s + 1 : 0;
    // Up to two 404s in a row may mean that the record is not replicated yet.
    if (this.#consecutive404s > 2 || !isTransient(error)) throw error;
    this.#retryAfterMs = apiError?.retryAfterMs;
    const value = this.#last ?? this.#target.initial?.();
    return value && { ...value, pollError: error };
  }

  /** The error to throw for one that ended the wait: an abort always has the same form. */
  toError(error: unknown): unknown {
    if (!this.#signal?.aborted) return error;
    const message = `The wait was aborted. ${this.#target.advice()}`;
    return abortedError(this.#signal.reason, this.#target.errorDetails?.(), message);
  }

  get #remainingMs(): number {
    return this.#deadline - this.#clock.now();
  }

  #timeoutError(): PolygateError {
    const status = this.#last?.rawStatus || this.#last?.status || 'status unknown';
    return this.#target.timeoutError(
      `The wait exceeded ${this.#waitTimeout} ms (${status}). ${this.#target.advice()}`,
      this.#last,
    );
  }
}

/**
 * Whether a failed poll reveals nothing about the task: no response, a service that is overloaded or down, a record
 * that is not found, or a body that is not a record.
 */
function isTransient(error: unknown): error is PolygateError {
  if (error instanceof APIError)
    return error.status >= 500 || [404, 408, 429].includes(error.status);
  if (error instanceof ResponseValidationError) return !isRecord(error.body);
  return error instanceof ConnectionError;
}

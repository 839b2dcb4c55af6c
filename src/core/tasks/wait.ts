import { abortedError } from '../../errors/aborted.ts';
import { APIError } from '../../errors/api.ts';
import type { PolygateError } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import type { WaitOptions } from '../../types/tasks/task-handle.ts';
import { isRecord } from '../../types/type-guards.ts';
import { startSpan } from '../call/telemetry.ts';
import type { Span } from '../call/telemetry.ts';
import { monotonicNow } from '../config/clock.ts';
import type { HeaderChanges } from '../config/header-changes.ts';
import { notify } from '../config/log.ts';
import { PollLimiter } from '../limits/poll-limiter.ts';
import { nextPollDelay } from './poll-delay.ts';
import { mergePollHeaders } from './poll-target.ts';
import type { PollTarget, Pollable, Polled } from './poll-target.ts';

/** One wait for a record: when it is polled next, and what ends the wait. */
export class Wait<Value extends Pollable> {
  readonly #target: PollTarget<Value, unknown>;
  readonly #span: Span | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #headers: HeaderChanges;
  readonly #requestId: string | undefined;
  readonly #waitTimeout: number;
  readonly #deadline: number;
  readonly #maxPollInterval: number;
  /** The delay before the next poll, without jitter. */
  #interval: number;
  #dueAt: number;
  #consecutive404s = 0;
  /** Why the last poll failed, if it did. */
  #pollError: PolygateError | undefined;

  constructor(target: PollTarget<Value, unknown>, options: WaitOptions<never>, parent?: Span) {
    const { pollInterval = target.pollInterval, waitTimeout = 1_800_000 } = options;
    const { at, retryAfterMs } = target.known ?? {};
    this.#target = target;
    const { headers, requestId } = mergePollHeaders(target.headers, options);
    this.#signal = options.signal;
    this.#headers = headers;
    this.#requestId = requestId;
    this.#waitTimeout = waitTimeout;
    this.#deadline = this.#now + waitTimeout;
    this.#maxPollInterval = options.maxPollInterval ?? Math.max(pollInterval, 5_000);
    this.#interval = pollInterval;
    this.#dueAt = at === undefined ? -Infinity : at + this.#nextDelay(retryAfterMs);
    this.#span = startSpan(target.context.config, target.operation, parent);
  }

  get #clock() {
    return this.#target.context.config.clock;
  }

  get #now() {
    return monotonicNow(this.#clock);
  }

  get #last(): Value | undefined {
    return this.#target.known?.data;
  }

  /** The finished record; undefined while the wait continues. */
  get finished(): Value | undefined {
    const last = this.#last;
    return last && this.#target.isFinal(last.status) ? last : undefined;
  }

  /** The delay grows from `pollInterval` to `maxPollInterval`. */
  #nextDelay(retryAfterMs: number | undefined): number {
    const { random } = this.#target.context.config;
    const maxInterval = this.#maxPollInterval;
    const next = nextPollDelay({ interval: this.#interval, maxInterval, retryAfterMs, random });
    this.#interval = next.interval;
    return next.delayMs;
  }

  /** Waits until the next poll is due, or the deadline. Rejects as soon as the signal aborts. */
  untilDue(): Promise<void> | undefined {
    this.#signal?.throwIfAborted();
    const ms = Math.min(this.#dueAt, this.#deadline) - this.#now;
    return ms > 0 ? this.#clock.sleep(ms, this.#signal) : undefined;
  }

  /**
   * The last known record, with `pollError` if the last poll of this wait has failed. Undefined if none is known. A
   * copy, so that a caller that modifies it can neither change the task nor prolong the wait.
   */
  get update(): Polled<Value> | undefined {
    // Another wait may have received the final record since then.
    const pollError = this.finished ? undefined : this.#pollError;
    const value = this.#last ?? (pollError && this.#target.initial?.());
    return value && (pollError ? { ...value, pollError } : { ...value });
  }

  /** Passes the update to the caller's callback, if there is one. */
  notify(onUpdate: ((update: Polled<Value>) => void) | undefined): void {
    const update = onUpdate && this.update;
    if (update) notify(this.#target.context.config.log, onUpdate, update, 'onUpdate');
  }

  /**
   * Polls once, when other polls leave room for it, unless another wait has seen the record finished. Throws errors that
   * end the wait.
   */
  async poll(): Promise<void> {
    if (this.finished) return;
    const { config, shared } = this.#target.context;
    const polls = (shared.polls ??= new PollLimiter());
    const signal = this.#signal;
    const ms = this.#remainingMs;
    const hasTurn = ms > 0 && polls.acquire(config.clock, ms, signal);
    if (!(hasTurn === true || (await hasTurn))) throw this.#timeoutError();
    let retryAfterMs: number | undefined;
    try {
      await this.#target.poll({
        headers: this.#headers,
        requestId: this.#requestId,
        signal,
        timeout: Math.min(this.#remainingMs, config.timeout),
        maxRetries: 0,
        parent: this.#span,
      });
      this.#span?.event({ type: 'status', status: this.#last?.status ?? '' });
      this.#consecutive404s = 0;
      this.#pollError = undefined;
      retryAfterMs = this.#target.known?.retryAfterMs;
    } catch (error) {
      let isNotFound = false;
      if (error instanceof APIError) {
        ({ retryAfterMs } = error);
        isNotFound = error.status === 404;
      }
      this.#consecutive404s = isNotFound ? this.#consecutive404s + 1 : 0;
      // Up to two 404s in a row may mean that the record is not replicated yet.
      if (this.#consecutive404s > 2 || !canPollLater(error)) throw error;
      this.#pollError = error;
    } finally {
      polls.release();
      this.#dueAt = this.#now + this.#nextDelay(retryAfterMs);
    }
  }

  /** Converts and reports the error that ended the wait: after an abort, it is always an `AbortedError` with the task. */
  toError(error: unknown): unknown {
    const message = `The wait was aborted. ${this.#target.advice()}`;
    const converted = this.#signal?.aborted
      ? abortedError(this.#signal.reason, this.#target.errorDetails?.(), message)
      : error;
    this.#span?.end({ error: converted });
    return converted;
  }

  /** Reports the end of the wait, unless an error has ended it. */
  end(): void {
    this.#span?.end({ data: this.#last });
  }

  get #remainingMs(): number {
    return this.#deadline - this.#now;
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
 * Whether a failed poll reveals nothing about the task, so that the wait continues: no response, a service that is
 * overloaded or down, a record that is not found, or a body that is not a record. These are more failures than a call
 * retries, because a task that was paid for must not be given up.
 */
function canPollLater(error: unknown): error is PolygateError {
  if (error instanceof APIError)
    return error.status >= 500 || [404, 408, 429].includes(error.status);
  if (error instanceof ResponseValidationError) return !isRecord(error.body);
  return error instanceof ConnectionError;
}

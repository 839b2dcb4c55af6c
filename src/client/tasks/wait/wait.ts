import { APIError } from '../../../errors/responses.ts';
import type { PolygateError } from '../../../errors/base.ts';
import type { WaitOptions } from '../../../wire/types/tasks/task-handle.ts';
import type { PollHeaders } from '../../call/request/request-options.ts';
import { startSpan } from '../../call/telemetry.ts';
import type { Span } from '../../call/telemetry.ts';
import { notify } from '../../config/log.ts';
import { PollLimiter } from '../../limits/poll-limiter.ts';
import { toPollResult } from './latest-record.ts';
import type { Pollable } from './latest-record.ts';
import { canPollLater } from './poll-failures.ts';
import { pollHeadersOf } from './poll-headers.ts';
import { PollSchedule } from './poll-schedule.ts';
import type { PollOptions, PollTarget, Polled } from './poll-target.ts';

export { readGeneration } from '../generation.ts';

/**
 * One wait for a record. Its user repeats three steps until the record is `finished`: wait until a poll is due, poll, and
 * create an update.
 */
export class Wait<Value extends Pollable> {
  readonly #target: PollTarget<Value, unknown>;
  readonly #schedule: PollSchedule;
  readonly #headers: PollHeaders;
  readonly #signal: AbortSignal | undefined;
  readonly #span: Span | undefined;
  /** Why the last poll failed, if it did. */
  #pollError: PolygateError | undefined;
  /** The number of polls in a row that have not found the record. */
  #notFoundInRow = 0;

  constructor(target: PollTarget<Value, unknown>, options: WaitOptions<never>, parent?: Span) {
    this.#target = target;
    this.#schedule = new PollSchedule(target, options);
    this.#headers = pollHeadersOf(options, target.pollHeaders);
    this.#signal = options.signal;
    this.#span = startSpan(target.context.config, target.operation, parent);
  }

  get #last(): Value | undefined {
    return this.#target.latest.value;
  }

  /** The finished record; undefined while the wait continues. */
  get finished(): Value | undefined {
    return this.#target.latest.finished;
  }

  /** Waits until the next poll is due, or the deadline. Rejects as soon as the signal aborts. */
  untilDue(): Promise<void> | undefined {
    return this.#schedule.untilDue(this.#signal);
  }

  /**
   * Polls once, when other polls leave room for it, unless another wait has seen the record finished. A failure that
   * reveals nothing about the record becomes the `pollError` of the update. Any other failure is thrown, and ends the wait.
   */
  async poll(): Promise<void> {
    if (this.finished) return;
    const { config, shared } = this.#target.context;
    const limiter = (shared.polls ??= new PollLimiter());
    const ms = this.#schedule.remainingMs;
    const turn = ms > 0 && limiter.acquire(config.clock, ms, this.#signal);
    // A turn that is free is taken without waiting.
    const hasTurn = typeof turn === 'boolean' ? turn : await turn;
    if (!hasTurn) {
      // Another poll may have received the result in the meantime.
      if (this.finished) return;
      throw this.#timeoutError();
    }
    let retryAfterMs: number | undefined;
    try {
      const response = await this.#target.poll(this.#pollOptions);
      const received = toPollResult(response, this.#target.context);
      this.#target.latest.keep(received);
      this.#recordSuccess(received.data.status);
      ({ retryAfterMs } = received);
    } catch (error) {
      this.#keepFailure(error);
      if (APIError.is(error)) ({ retryAfterMs } = error);
    } finally {
      limiter.release();
      this.#schedule.recordPoll(retryAfterMs);
    }
  }

  get #pollOptions(): PollOptions {
    const { timeout } = this.#target.context.config;
    const { deadline, remainingMs } = this.#schedule;
    return {
      ...this.#headers,
      signal: this.#signal,
      timeout: Math.min(remainingMs, timeout),
      waitDeadline: deadline,
      maxRetries: 0,
      parent: this.#span,
    };
  }

  #recordSuccess(status: string): void {
    this.#span?.event({ type: 'status', status });
    this.#pollError = undefined;
    this.#notFoundInRow = 0;
  }

  /** Keeps the error of a failed poll, or throws it if it ends the wait. */
  #keepFailure(error: unknown): void {
    const isNotFound = APIError.is(error) && error.status === 404;
    this.#notFoundInRow = isNotFound ? this.#notFoundInRow + 1 : 0;
    if (!canPollLater(error, this.#notFoundInRow)) throw error;
    this.#pollError = error;
  }

  /**
   * Creates an update: a copy of the last known record, with `pollError` if the last poll of this wait has failed.
   * Undefined if no record is known. A caller that modifies the copy can neither change the task nor prolong the wait.
   */
  createUpdate(): Polled<Value> | undefined {
    // Another wait may have received the final record since then.
    const pollError = this.finished ? undefined : this.#pollError;
    const value = this.#last ?? (pollError && this.#target.initial?.());
    if (!value) return undefined;
    const update = pollError ? { ...value, pollError } : { ...value };
    this.#target.remember?.(update);
    return update;
  }

  /** Passes an update to the caller's callback, if there is one. */
  notify(onUpdate: ((update: Polled<Value>) => void) | undefined): void {
    const update = onUpdate && this.createUpdate();
    if (update) notify(this.#target.context.config.log, onUpdate, update, 'onUpdate');
  }

  /**
   * Ends the wait with an error. Returns the error to throw: after an abort, always an `AbortedError` with the task.
   */
  fail(error: unknown): unknown {
    const thrown = this.#signal?.aborted
      ? this.#target.errors.aborted('The wait was aborted.', this.#signal.reason)
      : error;
    this.#span?.end({ error: thrown });
    return thrown;
  }

  /** Reports the end of the wait, unless an error has ended it. */
  end(): void {
    this.#span?.end({ data: this.#last });
  }

  #timeoutError(): PolygateError {
    const status = this.#last?.rawStatus || this.#last?.status || 'status unknown';
    return this.#target.errors.timeout(
      `The wait exceeded ${this.#schedule.waitTimeout} ms (${status}).`,
    );
  }
}

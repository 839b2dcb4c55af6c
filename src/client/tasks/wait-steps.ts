import type { PolygateError } from '../../errors/base.ts';
import { APIError } from '../../errors/responses.ts';
import type { WaitOptions } from '../../wire/types/tasks/task-handle.ts';
import type { PollHeaders } from '../call/request-options.ts';
import { startSpan } from '../config/caller.ts';
import type { Span } from '../config/caller.ts';
import { monotonicNow } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { notify } from '../config/log.ts';
import { PollLimiter } from '../limits/poll-limiter.ts';
import {
  defaultMaxPollInterval,
  defaultWaitTimeout,
  nextPollDelay,
  canPollLater,
} from './poll-decisions.ts';
import { pollHeadersOf, toPollResult } from './polled-record.ts';
import type { Pollable, PollOptions, PollTarget, Polled } from './polled-record.ts';

export { readGeneration } from './generation.ts';
export { materialPolls } from './polls.ts';
export { namedPollPath } from './polls.ts';
export { pollOnce, TaskPolls } from './polls.ts';

/** One wait for a record: it repeats until a poll is due, polls, and creates an update, until the record is finished. */
export class Wait<Value extends Pollable, Result> {
  readonly #target: PollTarget<Value, Result>;
  readonly #schedule: PollSchedule;
  readonly #headers: PollHeaders;
  readonly #signal: AbortSignal | undefined;
  readonly #span: Span | undefined;
  /** Why the last poll failed, if it did. */
  #pollError: PolygateError | undefined;
  /** The number of polls in a row that have not found the record. */
  #notFoundInRow = 0;

  constructor(target: PollTarget<Value, Result>, options: WaitOptions<never>, parent?: Span) {
    this.#target = target;
    this.#schedule = new PollSchedule(target, options);
    this.#headers = pollHeadersOf(options, target.pollHeaders);
    this.#signal = options.signal;
    this.#span = startSpan(target.context.config, target.operation, parent);
  }

  /** Passes each update to `onUpdate`, and returns the result. */
  async untilFinished(onUpdate?: (update: Polled<Value>) => void): Promise<Result> {
    try {
      if (this.#finished) this.#notify(onUpdate);
      // The steps of `updates`. In a function that both call, every waiting task would keep one more promise.
      while (!this.#finished) {
        await this.#schedule.untilDue(this.#signal);
        await this.#poll();
        this.#notify(onUpdate);
      }
    } catch (error) {
      throw this.#fail(error);
    } finally {
      this.#end();
    }
    return this.#target.toResult(this.#finished);
  }

  /**
   * Yields the result of every poll. Outages do not end the updates: they are yielded as `pollError`. Only the deadline, an
   * aborted signal or a permanent error ends them.
   */
  async *updates(): AsyncGenerator<Polled<Value>, void, undefined> {
    try {
      for (let isLast = false; !isLast;) {
        if (!this.#finished) {
          await this.#schedule.untilDue(this.#signal);
          await this.#poll();
        }
        // Decided before the update is yielded: meanwhile, other polls of the record may change what is known.
        isLast = this.#finished !== undefined;
        const update = this.#createUpdate();
        if (update) yield update;
      }
    } catch (error) {
      throw this.#fail(error);
    } finally {
      this.#end();
    }
  }

  get #last(): Value | undefined {
    return this.#target.latest.value;
  }

  /** The finished record; undefined while the wait continues. */
  get #finished(): Value | undefined {
    return this.#target.latest.finished;
  }

  /**
   * Polls once, when other polls leave room for it, unless another wait has seen the record finished. A failure that
   * reveals nothing about the record becomes the `pollError` of the update. Any other failure is thrown, and ends the wait.
   */
  async #poll(): Promise<void> {
    if (this.#finished) return;
    const { config, shared } = this.#target.context;
    const limiter = (shared.polls ??= new PollLimiter());
    const ms = this.#schedule.remainingMs;
    const turn = ms > 0 && limiter.acquire(config.clock, ms, this.#signal);
    // A turn that is free is taken without waiting.
    const hasTurn = typeof turn === 'boolean' ? turn : await turn;
    if (!hasTurn) {
      // Another poll may have received the result in the meantime.
      if (this.#finished) return;
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
  #createUpdate(): Polled<Value> | undefined {
    // Another wait may have received the final record since then.
    const pollError = this.#finished ? undefined : this.#pollError;
    const value = this.#last ?? (pollError && this.#target.initial?.());
    if (!value) return undefined;
    const update = pollError ? { ...value, pollError } : { ...value };
    this.#target.remember?.(update);
    return update;
  }

  /** Passes an update to the caller's callback, if there is one. */
  #notify(onUpdate: ((update: Polled<Value>) => void) | undefined): void {
    const update = onUpdate && this.#createUpdate();
    if (update) notify(this.#target.context.config.log, onUpdate, update, 'onUpdate');
  }

  /**
   * Ends the wait with an error. Returns the error to throw: after an abort, always an `AbortedError` with the task.
   */
  #fail(error: unknown): unknown {
    const thrown = this.#signal?.aborted ? this.#target.aborted(this.#signal.reason) : error;
    this.#span?.end({ error: thrown });
    return thrown;
  }

  /** Reports the end of the wait, unless an error has ended it. */
  #end(): void {
    this.#span?.end({ data: this.#last });
  }

  #timeoutError(): PolygateError {
    const status = this.#last?.rawStatus || this.#last?.status || 'status unknown';
    return this.#target.timeout(`The wait exceeded ${this.#schedule.waitTimeout} ms (${status}).`);
  }
}

/** When one wait polls next, and when it gives up. */
class PollSchedule {
  /** The time limit of the wait, in ms. */
  readonly waitTimeout: number;
  /** When the wait ends, in monotonic ms. */
  readonly deadline: number;
  readonly #config: Pick<Config, 'clock' | 'random'>;
  readonly #maxInterval: number;
  /** The delay before the next poll, without jitter. */
  #interval: number;
  #dueAt = -Infinity;

  constructor(
    { context, pollInterval: defaultInterval, latest }: PollTarget<Pollable, unknown>,
    options: Pick<WaitOptions<never>, 'pollInterval' | 'maxPollInterval' | 'waitTimeout'>,
  ) {
    const {
      pollInterval = defaultInterval,
      maxPollInterval = Math.max(pollInterval, defaultMaxPollInterval),
      waitTimeout = defaultWaitTimeout,
    } = options;
    this.waitTimeout = waitTimeout;
    this.#config = context.config;
    this.deadline = this.#now + waitTimeout;
    this.#maxInterval = maxPollInterval;
    this.#interval = pollInterval;
    const { received } = latest;
    if (received) this.recordPoll(received.retryAfterMs, received.at);
  }

  get #now(): number {
    return monotonicNow(this.#config.clock);
  }

  /** Time left until the deadline, in ms. */
  get remainingMs(): number {
    return this.deadline - this.#now;
  }

  /** Waits until the next poll is due, or the deadline. Rejects as soon as the signal aborts. */
  untilDue(signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    const ms = Math.min(this.#dueAt, this.deadline) - this.#now;
    return ms > 0 ? this.#config.clock.sleep(ms, signal) : undefined;
  }

  /** Schedules the poll after one that has ended. The delay grows from `pollInterval` to `maxPollInterval`. */
  recordPoll(retryAfterMs?: number, endedAt = this.#now): void {
    const { random } = this.#config;
    const maxInterval = this.#maxInterval;
    const next = nextPollDelay({ interval: this.#interval, maxInterval, retryAfterMs, random });
    this.#interval = next.interval;
    this.#dueAt = endedAt + next.delayMs;
  }
}

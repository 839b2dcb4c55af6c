import type { WaitOptions } from '../../../wire/types/tasks/task-handle.ts';
import { monotonicNow } from '../../config/clock.ts';
import type { Config } from '../../config/config.ts';
import type { Pollable } from './latest-record.ts';
import { defaultMaxPollInterval, defaultWaitTimeout, nextPollDelay } from './poll-delay.ts';
import type { PollTarget } from './poll-target.ts';

/** When one wait polls next, and when it gives up. */
export class PollSchedule {
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

import type { WaitOptions } from '../../../types/tasks/task-handle.ts';
import { monotonicNow } from '../../config/clock.ts';
import type { Config } from '../../config/config.ts';
import type { Pollable } from './latest-record.ts';
import { defaultWaitTimeout, nextPollDelay } from './poll-delay.ts';
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
    const { pollInterval = defaultInterval, waitTimeout = defaultWaitTimeout } = options;
    this.waitTimeout = waitTimeout;
    this.#config = context.config;
    this.deadline = this.#now + waitTimeout;
    this.#maxInterval = options.maxPollInterval ?? Math.max(pollInterval, 5_000);
    this.#interval = pollInterval;
    const { received } = latest;
    if (received) this.recordPoll(received.at, received.retryAfterMs);
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

  /** Schedules the poll after one that ended at `at`. The delay grows from `pollInterval` to `maxPollInterval`. */
  recordPoll(at = this.#now, retryAfterMs?: number): void {
    const { random } = this.#config;
    const maxInterval = this.#maxInterval;
    const next = nextPollDelay({ interval: this.#interval, maxInterval, retryAfterMs, random });
    this.#interval = next.interval;
    this.#dueAt = at + next.delayMs;
  }
}

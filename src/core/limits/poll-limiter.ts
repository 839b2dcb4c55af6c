import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/**
 * Maximum number of concurrent polls per account. Each needs a socket, so ten thousand waiting tasks must share them.
 */
const maxConcurrentPolls = 64;

/** Lets the next poll start. Call it exactly once. */
export type ReleasePoll = () => void;

/** A semaphore for polls: first come, first served. */
export class PollLimiter {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #free = maxConcurrentPolls;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves once a poll may start, or with undefined after `timeoutMs`. Rejects with the signal's reason when it
   * aborts.
   */
  async acquire(
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<ReleasePoll | undefined> {
    signal?.throwIfAborted();
    return this.#free > 0 ? this.#take() : this.#wait(timeoutMs, signal);
  }

  #take(): ReleasePoll {
    this.#free -= 1;
    return () => {
      this.#free += 1;
      const [next] = this.#waiting;
      next?.();
    };
  }

  #wait(timeoutMs: number, signal: AbortSignal | undefined): Promise<ReleasePoll | undefined> {
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        this.#waiting.delete(start);
        stopTimer();
        stopListening();
      };
      const start = () => {
        stopWaiting();
        resolve(this.#take());
      };
      this.#waiting.add(start);
      const stopTimer = startTimer(this.#clock, timeoutMs, () => {
        stopWaiting();
        resolve(undefined);
      });
      const stopListening = whenAborted(signal, (reason) => {
        stopWaiting();
        reject(reason);
      });
    });
  }
}

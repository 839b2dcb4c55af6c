import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/**
 * Maximum number of concurrent polls per account. Each needs a socket, so ten thousand waiting tasks must share them.
 */
const maxConcurrentPolls = 64;

/** Limits the polls of one account: first come, first served. A poll that gets its turn immediately allocates nothing. */
export class PollLimiter {
  #inFlight = 0;
  /** A set, because a poll that leaves twice must not remove another one. */
  readonly #queue = new Set<() => void>();

  /**
   * Takes a turn, which the caller must release, or waits for one. Resolves to false if none becomes free within `ms`.
   * Rejects with the reason of the signal as soon as it aborts.
   */
  acquire(clock: Clock, ms: number, signal: AbortSignal | undefined): true | Promise<boolean> {
    if (this.#inFlight < maxConcurrentPolls) {
      this.#inFlight += 1;
      return true;
    }
    return new Promise((resolve) => {
      // A listener would never be called.
      signal?.throwIfAborted();
      const leave = (result: boolean | Promise<never>) => {
        stopTimer();
        stopListening();
        this.#queue.delete(enter);
        resolve(result);
      };
      const enter = () => leave(true);
      const stopTimer = startTimer(clock, ms, () => leave(false));
      const stopListening = whenAborted(signal, (reason) => leave(Promise.reject(reason)));
      this.#queue.add(enter);
    });
  }

  /** Passes a turn on to the poll that has waited the longest. */
  release(): void {
    const [enter] = this.#queue;
    if (enter) enter();
    else this.#inFlight -= 1;
  }
}

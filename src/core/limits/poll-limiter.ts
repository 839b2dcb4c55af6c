import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/**
 * Maximum number of concurrent polls per account. Each needs a socket, so ten thousand waiting tasks must share them.
 */
const maxConcurrentPolls = 64;

/** Limits the polls of one account: first come, first served. A poll that is not waiting costs nothing. */
export class PollLimiter {
  #inFlight = 0;
  readonly #queue: (() => void)[] = [];

  /**
   * Takes a turn, which the caller must release, or waits for one. Resolves to false if none becomes free within `ms`.
   * Rejects with the reason of the signal as soon as it aborts.
   */
  acquire(clock: Clock, ms: number, signal: AbortSignal | undefined): true | Promise<boolean> {
    if (this.#inFlight < maxConcurrentPolls) {
      this.#inFlight += 1;
      return true;
    }
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        stopTimer();
        stopListening();
      };
      const leave = () => {
        stopWaiting();
        this.#queue.splice(this.#queue.indexOf(enter), 1);
      };
      const enter = () => {
        stopWaiting();
        resolve(true);
      };
      const stopTimer = startTimer(clock, ms, () => {
        leave();
        resolve(false);
      });
      const stopListening = whenAborted(signal, (reason) => {
        leave();
        reject(reason);
      });
      this.#queue.push(enter);
    });
  }

  /** Passes a turn on to the poll that has waited longest. */
  release(): void {
    const enter = this.#queue.shift();
    if (enter) enter();
    else this.#inFlight -= 1;
  }
}

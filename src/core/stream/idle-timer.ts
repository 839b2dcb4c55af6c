import { startTimer } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/**
 * Calls `fire` when a wait takes too long. Waits come one after the other, one a read of a stream, and a timer for
 * each would cost more than the read: one timer runs on from wait to wait, and looks when it rings.
 */
export class IdleTimer {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #fire: () => void;
  /** When the wait under way began, by the clock. */
  #since: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, ms: number, fire: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#fire = fire;
  }

  /** A wait begins. */
  start(): void {
    this.#since = this.#clock.now();
    if (this.#cancel === undefined) this.#wait(this.#ms);
  }

  /** The wait is over; there may be another. */
  pause(): void {
    this.#since = undefined;
  }

  /** There will be no other wait. */
  stop(): void {
    this.pause();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(ms: number): void {
    this.#cancel = startTimer(this.#clock, ms, () => {
      this.#cancel = undefined;
      if (this.#since === undefined) return;
      const left = this.#since + this.#ms - this.#clock.now();
      if (left > 0) this.#wait(left);
      else this.#fire();
    });
  }
}

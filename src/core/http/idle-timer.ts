import { startTimer } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/**
 * Calls `onTimeout` when a single wait lasts longer than `ms`. A stream waits once per read, and a timer per read would
 * cost more than the read itself. Instead, one timer keeps running across waits and, when it fires, checks how long the
 * current wait has lasted.
 */
export class IdleTimer {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #onTimeout: () => void;
  /** Clock time at which the current wait began; undefined between waits. */
  #waitingSince: number | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, ms: number, onTimeout: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onTimeout = onTimeout;
  }

  /** Begins a wait. */
  start(): void {
    this.#waitingSince = this.#clock.now();
    if (this.#cancelTimer === undefined) this.#schedule(this.#ms);
  }

  /** Ends the current wait; another one may follow. */
  pause(): void {
    this.#waitingSince = undefined;
  }

  /** Ends the current wait and clears the timer. */
  stop(): void {
    this.pause();
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #schedule(ms: number): void {
    this.#cancelTimer = startTimer(this.#clock, ms, () => {
      this.#cancelTimer = undefined;
      if (this.#waitingSince === undefined) return;
      const remainingMs = this.#waitingSince + this.#ms - this.#clock.now();
      if (remainingMs > 0) this.#schedule(remainingMs);
      else this.#onTimeout();
    });
  }
}

import { monotonicNow, startTimer } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

export type IdleTimer = ReturnType<typeof createIdleTimer>;

/**
 * Calls `onTimeout` when a single wait lasts longer than `ms`. A stream waits once per read, and a timer per read would
 * cost more than the read itself. Instead, one timer keeps running across waits and, when it fires, checks how long the
 * current wait has lasted.
 */
export function createIdleTimer(clock: Clock, ms: number, onTimeout: () => void) {
  /** Monotonic time at which the current wait began; undefined between waits. */
  let waitingSince: number | undefined;
  let stopTimer: (() => void) | undefined;
  const schedule = (delayMs: number) => {
    stopTimer = startTimer(clock, delayMs, () => {
      stopTimer = undefined;
      if (waitingSince === undefined) return;
      const remainingMs = waitingSince + ms - monotonicNow(clock);
      if (remainingMs > 0) schedule(remainingMs);
      else onTimeout();
    });
  };
  return {
    /** Begins a wait. */
    start() {
      waitingSince = monotonicNow(clock);
      if (stopTimer === undefined) schedule(ms);
    },
    /** Ends the current wait; another one may follow. */
    pause() {
      waitingSince = undefined;
    },
    /** Ends the last wait and clears the timer. */
    stop() {
      waitingSince = undefined;
      stopTimer?.();
    },
  };
}

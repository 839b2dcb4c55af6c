import type { MockClock } from './clock.ts';
import { Sleepers } from './sleepers.ts';
import type { Sleeper } from './sleepers.ts';

/**
 * Where virtual time begins: a fixed instant, so that dates in answers are the same in every run.
 */
const start = Date.parse('2026-05-01T00:00:00Z');

/** Turns of the event loop in which nothing may happen before everybody counts as waiting. */
const quietTurns = 6;

/** Not declared by the DOM's types, and missing in browsers. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/** Taken at import, so that a test's fake timers do not stop virtual time. */
const nextTurn: (callback: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : (callback) => setTimeout(callback, 0);
const realTimer = setTimeout;

/** Time that moves only when told to. */
export class VirtualClock implements MockClock {
  readonly #sleepers = new Sleepers();
  #now = start;
  #count = 0;
  #tail: Promise<unknown> = Promise.resolve();

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#count += 1;
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      if (!(ms > 0)) {
        resolve();
        return;
      }
      const stop = (): void => {
        this.#count += 1;
        this.#sleepers.remove(sleeper);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const sleeper: Sleeper = { at: this.#now + ms, order: this.#count, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  advance(ms: number): Promise<void> {
    const run = this.#tail.then(() => this.#advanceTo(this.#now + Math.max(ms, 0)));
    this.#tail = run;
    return run;
  }

  async settle<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = (): void => {
      settled = true;
    };
    promise.then(done, done);
    let idle = 0;
    for (;;) {
      await this.#quiet();
      if (settled) return promise;
      const next = this.#sleepers.peek();
      if (next !== undefined) {
        idle = 0;
        await this.advance(next.at - this.#now);
        continue;
      }
      // Nobody sleeps, yet the promise is open: it may wait for a disk or a socket, in real time.
      idle += 1;
      if (idle > 400) throw new Error('The promise is open, and nobody waits for the clock');
      await new Promise((resolve) => {
        realTimer(resolve, 5);
      });
    }
  }

  async #advanceTo(target: number): Promise<void> {
    await this.#quiet();
    for (;;) {
      const next = this.#sleepers.peek();
      if (next === undefined || next.at > target) break;
      this.#now = Math.max(this.#now, next.at);
      this.#wakeAll(next.at);
      await this.#quiet();
    }
    this.#now = Math.max(this.#now, target);
    await this.#quiet();
  }

  #wakeAll(at: number): void {
    for (;;) {
      if (this.#sleepers.peek()?.at !== at) return;
      const wake = this.#sleepers.take()?.wake;
      this.#count += 1;
      wake?.();
    }
  }

  /**
   * Resolves once nobody has gone to sleep, woken or given up for a few turns of the event loop.
   */
  async #quiet(): Promise<void> {
    let seen = this.#count;
    for (let turn = 0; turn < quietTurns; turn += 1) {
      await new Promise<void>((resolve) => {
        nextTurn(resolve);
      });
      if (seen === this.#count) continue;
      seen = this.#count;
      turn = 0;
    }
  }
}

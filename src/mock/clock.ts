import { partsLoading } from '../wire/types/parts-loading.ts';
import { InFlight } from './in-flight.ts';

/** The gateway's source of time. The client's `clock` option has the same shape. */
export interface Clock {
  /** The current time in milliseconds since 1970. */
  now(): number;
  /** A time in milliseconds that no change of the system time affects. The default is `now()`. */
  monotonic?(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason if the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of a mock gateway. */
export interface MockClock extends Clock {
  /**
   * Advances a virtual clock and resolves when every sleep that became due has ended. Rejects if the
   * clock is not virtual.
   */
  advance(ms: number): Promise<void>;
  /**
   * Advances a virtual clock from sleep to sleep until the promise settles, and returns its result.
   * With the system clock, it only awaits the promise.
   */
  settle<T>(promise: Promise<T>): Promise<T>;
  /**
   * Wraps a `fetch` function so that no virtual time passes while its requests are in flight outside the gateway. A
   * client with this clock does so itself.
   */
  watchFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
}

/** The longest delay that `setTimeout` supports. */
const maxTimerMs = 2_147_483_647;

/** Creates a clock that follows real time. */
export function systemClock(): MockClock {
  const requireVirtual = (): Promise<never> =>
    Promise.reject(
      new Error("advance() needs a virtual clock: createMockGateway({ clock: 'virtual' })"),
    );
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: sleepOnTimer,
    advance: requireVirtual,
    settle: (promise) => promise,
    watchFetch: (fetch) => fetch,
  };
}

function sleepOnTimer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const delayMs = Math.min(Math.max(Number.isNaN(ms) ? 0 : ms, 0), maxTimerMs);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Fixed, so that dates in responses are the same in every run. */
const startTime = Date.parse('2026-05-01T00:00:00Z');

/**
 * Number of event loop turns without a new, ended or aborted sleep after which the program is
 * considered idle.
 */
const idleTurns = 6;

/** Not available in browsers or in the DOM types. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/** Captured at import, so that fake timers in tests do not stop virtual time. */
const nextTurn: (callback: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : (callback) => setTimeout(callback, 0);
const realSetTimeout = setTimeout;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    realSetTimeout(resolve, ms);
  });

/** Number of turns after which the wait for a request becomes a wait in pauses, which leave the processor to servers. */
const busyTurns = 20;
/** The length of such a pause in ms. */
const pauseMs = 2;

interface PendingSleep {
  /** When the sleep ends, in clock milliseconds. */
  readonly at: number;
  /** Ends the sleep. */
  readonly wake: () => void;
}

/** A clock that moves only in `advance` and `settle`. */
export class VirtualClock implements MockClock {
  /** Sleeps that end earlier come first; of two that end at the same time, the one that started earlier. */
  readonly #sleeps: PendingSleep[] = [];
  #now: number;
  /** Number of sleeps that started, ended or were aborted. */
  #events = 0;
  /** Resolves when the last call of `advance` has finished; calls run one after another. */
  #lastAdvance: Promise<unknown> = Promise.resolve();
  readonly #inFlight: InFlight;

  constructor(now = startTime, inFlight = new InFlight()) {
    this.#now = now;
    this.#inFlight = inFlight;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#events += 1;
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      if (!(ms > 0)) {
        resolve();
        return;
      }
      const onAbort = (): void => {
        this.#events += 1;
        this.#sleeps.splice(this.#sleeps.indexOf(sleep), 1);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleep: PendingSleep = { at: this.#now + ms, wake };
      this.#add(sleep);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  watchFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return this.#inFlight.watchFetch(fetch);
  }

  advance(ms: number): Promise<void> {
    return this.#advance(ms);
  }

  async settle<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const onSettled = (): void => {
      settled = true;
    };
    promise.then(onSettled, onSettled);
    const isSettled = (): boolean => settled;
    let realWaits = 0;
    for (;;) {
      await this.#idle(isSettled);
      if (settled) return promise;
      const [next] = this.#sleeps;
      if (next !== undefined) {
        realWaits = 0;
        await this.#advance(next.at - this.#now, isSettled);
        continue;
      }
      // No sleep is pending: the promise may depend on a disk or a socket, which takes real time.
      realWaits += 1;
      if (realWaits > 600) {
        throw new Error(
          'settle() gave up after 3 seconds of real time: the promise is still pending, but no timer of the virtual clock is. A timer or a socket of your own may take longer.',
        );
      }
      await pause(5);
    }
  }

  #advance(ms: number, isDone?: () => boolean): Promise<void> {
    const advanced = this.#lastAdvance.then(() =>
      this.#advanceTo(this.#now + Math.max(ms, 0), isDone),
    );
    this.#lastAdvance = advanced;
    return advanced;
  }

  /** Inserts a sleep by binary search: tests start ten thousand. */
  #add(sleep: PendingSleep): void {
    let index = 0;
    for (let end = this.#sleeps.length; index < end;) {
      const middle = (index + end) >> 1;
      const { at } = this.#sleeps[middle] ?? sleep;
      if (at <= sleep.at) index = middle + 1;
      else end = middle;
    }
    this.#sleeps.splice(index, 0, sleep);
  }

  /** Advances to a time, or until nothing depends on it any more. */
  async #advanceTo(target: number, isDone = (): boolean => false): Promise<void> {
    await this.#idle(isDone);
    for (;;) {
      if (isDone()) return;
      const [next] = this.#sleeps;
      if (next === undefined || next.at > target) break;
      this.#now = Math.max(this.#now, next.at);
      this.#wakeAll(next.at);
      await this.#idle(isDone);
    }
    this.#now = Math.max(this.#now, target);
    await this.#idle(isDone);
  }

  #wakeAll(at: number): void {
    while (this.#sleeps[0]?.at === at) {
      this.#events += 1;
      this.#sleeps.shift()?.wake();
    }
  }

  /**
   * Resolves when nothing has happened for a few turns of the event loop. A client that is still loading a part is not
   * idle, nor is one whose request is outside the gateway: files and sockets take real time, in which no virtual time may
   * pass.
   */
  async #idle(isDone: () => boolean): Promise<void> {
    let lastSeen = this.#changes;
    let waits = 0;
    for (let turn = 0; turn < idleTurns;) {
      if (waits > busyTurns) await pause(pauseMs);
      else await new Promise<void>((resolve) => void nextTurn(resolve));
      if (isDone()) return;
      if (lastSeen !== this.#changes) {
        lastSeen = this.#changes;
        waits = 0;
        turn = 0;
      } else if (partsLoading().size > 0) {
        turn = 0;
      } else if (this.#inFlight.outside().length > 0) {
        turn = 0;
        waits += 1;
        if (waits > this.#inFlight.patience) this.#giveUp();
      } else {
        turn += 1;
      }
    }
  }

  get #changes(): number {
    return this.#events + this.#inFlight.changes;
  }

  /** Lets time pass without requests that never arrive at the gateway, so that their timeouts end them. */
  #giveUp(): void {
    for (const name of this.#inFlight.giveUp()) {
      // oxlint-disable-next-line no-console -- otherwise, only a puzzling timeout would be seen
      console.warn(
        `The virtual clock no longer waits for ${name}: it has had no response for seconds of real time, and is not at the reference gateway. Its timeouts may now pass.`,
      );
    }
  }
}

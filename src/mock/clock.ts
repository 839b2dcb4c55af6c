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
    sleep,
    advance: requireVirtual,
    settle: (promise) => promise,
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
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

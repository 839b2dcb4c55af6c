/** Where the gateway reads the time and waits. The client's `clock` option has the same shape. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of a mock gateway. */
export interface MockClock extends Clock {
  /** Virtual clocks only: moves the time and resolves when the sleeps that came due have fired. */
  advance(ms: number): Promise<void>;
  /** Virtual clocks only: jumps from sleep to sleep until the promise has settled; its result. */
  settle<T>(promise: Promise<T>): Promise<T>;
}

/** The longest wait that `setTimeout` can do. */
const longestTimer = 2_147_483_647;

/** Real time. */
export function systemClock(): MockClock {
  const needsVirtual = (): Promise<never> =>
    Promise.reject(
      new Error("Time can be moved only with createMockGateway({ clock: 'virtual' })"),
    );
  return { now: () => Date.now(), sleep, advance: needsVirtual, settle: (promise) => promise };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const wait = Math.min(Math.max(Number.isNaN(ms) ? 0 : ms, 0), longestTimer);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, wait);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

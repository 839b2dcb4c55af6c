/** The source of time: every wait in the client uses it. */
export interface Clock {
  /** The current time in ms since the Unix epoch, for dates. */
  now(): number;
  /**
   * A time in ms that no change of the system time affects, for durations and deadlines. Its origin is arbitrary.
   * @defaultValue `now()`
   */
  monotonic?(): number;
  /** Resolves after `ms`. Rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Wraps the `fetch` of a client with this clock. A virtual clock lets no time pass while a request is in flight. */
  watchFetch?(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
}

/** The longest delay that `setTimeout` supports; it runs callbacks with a longer delay immediately. */
const maxTimerDelay = 2_147_483_647;

/** A delay for `setTimeout`. Node warns about negative ones, which a deadline that has just passed can produce. */
const timerDelay = (ms: number) => Math.max(0, Math.min(ms, maxTimerDelay));

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Some engines of mobile apps have no `performance`.
  monotonic: () => (globalThis.performance ?? Date).now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (!signal) {
        // Without more closures: thousands of tasks may be waiting for their next poll.
        setTimeout(resolve, timerDelay(ms));
        return;
      }
      signal.throwIfAborted();
      const stopTimer = startTimer(systemClock, ms, () => {
        stopListening();
        resolve();
      });
      const stopListening = whenAborted(signal, (reason) => {
        stopTimer();
        reject(reason);
      });
    }),
};

/** The time for durations and deadlines. */
export const monotonicNow = (clock: Clock): number => clock.monotonic?.() ?? clock.now();

const ignore = () => undefined;

/** Calls `listener` when the signal aborts. The returned function stops listening. */
export function whenAborted(
  signal: AbortSignal | undefined,
  listener: (reason: unknown) => void,
): () => void {
  if (!signal) return ignore;
  const abort = () => listener(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

/** Aborts the controller when the signal aborts, or now if it has. The returned function stops listening. */
export function forwardAbort(
  signal: AbortSignal | undefined,
  controller: AbortController,
): () => void {
  const abort = (reason: unknown) => controller.abort(reason);
  if (signal?.aborted) abort(signal.reason);
  return whenAborted(signal, abort);
}

/** Calls `callback` after `ms`. The returned function cancels the timer. */
export function startTimer(clock: Clock, ms: number, callback: () => void): () => void {
  if (clock === systemClock) {
    const timer = setTimeout(callback, timerDelay(ms));
    return () => clearTimeout(timer);
  }
  const controller = new AbortController();
  clock.sleep(ms, controller.signal).then(callback, () => undefined);
  return () => controller.abort();
}

/** Time as the client sees it: every wait in the client goes through it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay a timer takes; longer ones would fire at once. */
const longestTimer = 2_147_483_647;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
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

/** Calls `listener` when the signal aborts, unless the returned function is called before. */
export function whenAborted(
  signal: AbortSignal | undefined,
  listener: (reason: unknown) => void,
): () => void {
  const abort = () => listener(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

/** Calls `fire` after `ms` unless the returned function is called before. */
export function startTimer(clock: Clock, ms: number, fire: () => void): () => void {
  if (clock === systemClock) {
    const timer = setTimeout(fire, Math.min(ms, longestTimer));
    return () => clearTimeout(timer);
  }
  const stop = new AbortController();
  clock.sleep(ms, stop.signal).then(fire, () => undefined);
  return () => stop.abort();
}

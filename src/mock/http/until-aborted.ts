/** The promise, or a rejection with the signal's reason as soon as that is aborted. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const settled = (): void => {
      signal.removeEventListener('abort', stop);
    };
    promise.then(resolve, reject).finally(settled);
  });
}

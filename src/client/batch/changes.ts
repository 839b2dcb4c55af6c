import { whenAborted } from '../config/clock.ts';

/** Wakes everything that waits for a change. */
export class Changes {
  readonly #waiting: (() => void)[] = [];

  /** Resolves at the next change, or when the signal aborts or has aborted. */
  next(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const stopListening = whenAborted(signal, () => wake());
      const wake = () => {
        stopListening();
        resolve();
      };
      this.#waiting.push(wake);
    });
  }

  /** Reports a change. */
  notify(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

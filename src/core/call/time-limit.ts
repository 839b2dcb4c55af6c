import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/** What may end a piece of work before it is done. */
export interface TimeLimit<Result> {
  clock: Clock;
  /** The caller's signal. */
  signal?: AbortSignal | undefined;
  /** Time for the work, ms. */
  ms: number;
  /** The error for a signal that aborted. */
  onAbort: (reason: unknown) => Error;
  /** The error for time that ran out. */
  onTimeout: () => Error;
  /** What to do with a result that comes after the end. */
  discard?: (late: Result) => void;
}

/**
 * Runs `work` until it is done, its time is up or the caller aborts. The end comes at once, even when the work
 * ignores the signal it is given, and leaves no timer or listener behind.
 */
export function runWithTimeLimit<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { clock, signal, ms, onAbort, onTimeout, discard }: TimeLimit<Result>,
): Promise<Result> {
  if (signal?.aborted) return Promise.reject(onAbort(signal.reason));
  return new Promise((resolve, reject) => {
    const inner = new AbortController();
    let over = false;
    const end = () => {
      over = true;
      stopTimer();
      stopListening();
    };
    const fail = (error: Error) => {
      end();
      inner.abort(error);
      reject(error);
    };
    const stopTimer = startTimer(clock, ms, () => {
      if (!over) fail(onTimeout());
    });
    const stopListening = whenAborted(signal, (reason) => fail(onAbort(reason)));
    work(inner.signal).then(
      (result) => {
        if (over) discard?.(result);
        else resolve(result);
        end();
      },
      (error: unknown) => {
        if (!over) reject(error);
        end();
      },
    );
  });
}

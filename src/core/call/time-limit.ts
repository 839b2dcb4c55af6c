import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/** The time limit and abort signal of an operation. */
export interface TimeLimit<Result> {
  clock: Clock;
  /** The caller's signal. */
  signal?: AbortSignal | undefined;
  /** Time allowed for the work, in ms. */
  ms: number;
  /** Creates the error for an aborted signal. */
  onAbort: (reason: unknown) => Error;
  /** Creates the error for a timeout. */
  onTimeout: () => Error;
  /** Disposes of a result that arrives too late. */
  discard?: (late: Result) => void;
}

/**
 * Runs `work` until it finishes, its time is up or the caller aborts. Settles immediately in each case, even if the
 * work ignores its signal, and leaves no timer or listener behind.
 */
export function runWithTimeLimit<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { clock, signal, ms, onAbort, onTimeout, discard }: TimeLimit<Result>,
): Promise<Result> {
  if (signal?.aborted) return Promise.reject(onAbort(signal.reason));
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    let ended = false;
    const end = () => {
      ended = true;
      stopTimer();
      stopListening();
    };
    const fail = (error: Error) => {
      end();
      controller.abort(error);
      reject(error);
    };
    const stopTimer = startTimer(clock, ms, () => {
      if (!ended) fail(onTimeout());
    });
    const stopListening = whenAborted(signal, (reason) => fail(onAbort(reason)));
    work(controller.signal).then(
      (result) => {
        if (ended) discard?.(result);
        end();
        resolve(result);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

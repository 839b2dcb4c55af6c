import { monotonicNow, startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

/** The abort signal of an operation, and its time limit if it has one. */
export type TimeLimit = (TimerOptions | { clock?: undefined }) & {
  /** The caller's signal. */
  signal?: AbortSignal | undefined;
  /** Creates the error for an aborted signal. An object, because a function would be created for every request. */
  errors: { aborted(reason: unknown): Error };
  /** Whether the caller receives the response behind this failure. The signal then does not abort, so that its body can be read. */
  isPassedOn?: ((error: unknown) => boolean) | undefined;
};

interface TimerOptions {
  clock: Clock;
  /** Time allowed for the work, in ms. */
  ms: number;
  /** Creates the error for a timeout. */
  errors: { timeout(ms: number): Error };
  /** Creates the error for a timeout instead of `errors`. */
  onTimeout?: () => Error;
}

/**
 * Throws if the work must not continue. A timer does not fire while other code blocks the thread, so a limit can be
 * exceeded although the signal of the work has not aborted.
 */
export type CheckTime = () => void;

/**
 * Runs `work` until it finishes, its time is up or the caller aborts. Settles immediately in each case, even if the
 * work ignores its signal, which aborts unless the work succeeds or `isPassedOn`. Leaves no timer or listener behind.
 */
export function runWithTimeLimit<Result>(
  work: (signal: AbortSignal, checkTime: CheckTime) => Promise<Result>,
  limit: TimeLimit,
): Promise<Result> {
  const { signal, errors } = limit;
  const endsAt = limit.clock && monotonicNow(limit.clock) + limit.ms;
  if (signal?.aborted) return Promise.reject(errors.aborted(signal.reason));
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    let ended = false;
    const end = () => {
      ended = true;
      stopTimer?.();
      stopListening?.();
    };
    const fail = (error: unknown, reason = error) => {
      end();
      controller.abort(reason);
      reject(error);
    };
    const expire = () => {
      if (limit.clock && !ended) fail(limit.onTimeout?.() ?? limit.errors.timeout(limit.ms));
    };
    const stopTimer = limit.clock && startTimer(limit.clock, limit.ms, expire);
    const checkTime = () => {
      if (endsAt !== undefined && limit.clock && monotonicNow(limit.clock) >= endsAt) expire();
      controller.signal.throwIfAborted();
    };
    const stopListening =
      signal && whenAborted(signal, (reason) => fail(errors.aborted(reason), reason));
    work(controller.signal, checkTime).then(
      (result) => {
        end();
        resolve(result);
      },
      (error: unknown) => {
        if (!limit.isPassedOn?.(error)) return fail(error);
        end();
        reject(error);
      },
    );
  });
}

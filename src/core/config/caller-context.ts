import type { Config } from './config.ts';
import { notify } from './log.ts';
import type { Log } from './log.ts';

/** Starts an operation in the context in which it was captured. */
export type CallerContext = ReturnType<typeof captureContext>;

/** Captures the context of the caller, for the operations that start later. */
export function captureContext({ telemetry, log }: Config) {
  const enter = telemetry && safely(log, () => telemetry.captureContext?.());
  return <Result>(start: () => Promise<Result>): Promise<Result> =>
    enter ? runOnce(log, enter, start) : start();
}

/** Lets `enter` call `work`, and returns its result. Whatever `enter` does, `work` is called once: it may cost money. */
export function runOnce<Result>(
  log: Log,
  enter: (work: () => void) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  let result: Promise<Result> | undefined;
  // An error that `work` throws must not look like one of `enter`.
  const once = () => (result ??= (async () => work())());
  safely(log, () => enter(() => void once()));
  return once();
}

/** Calls the user's telemetry. */
export function safely<Result>(log: Log, work: () => Result): Result | undefined {
  return notify(log, work, undefined, 'telemetry');
}

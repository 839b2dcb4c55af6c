import type { Config } from './config.ts';
import { notify } from './log.ts';

/** Starts an operation in the context in which it was captured. */
export type CallerContext = ReturnType<typeof captureContext>;

/** Captures the context of the caller, for the operations that start later. */
export function captureContext(config: Config) {
  const { telemetry } = config;
  const enter = telemetry && safely(config, () => telemetry.captureContext?.());
  return <Result>(start: () => Promise<Result>): Promise<Result> =>
    enter ? runOnce(config, enter, start) : start();
}

/** Lets `enter` call `work`, and returns its result. Whatever `enter` does, `work` is called once: it may cost money. */
export function runOnce<Result>(
  config: Config,
  enter: (work: () => void) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  let result: Promise<Result> | undefined;
  // An error that `work` throws must not look like one of `enter`.
  const once = () => (result ??= (async () => work())());
  safely(config, () => enter(() => void once()));
  return once();
}

/** Calls the user's telemetry, and returns its result unless it throws. */
export function safely<Result>({ log }: Config, work: () => Result): Result | undefined {
  let result: Result | undefined;
  notify(log, () => (result = work()), undefined, 'telemetry');
  return result;
}

import type {
  TelemetryEvent,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
} from '../../schemas/telemetry.ts';
import type { Config } from '../config/config.ts';
import { notify } from '../config/log.ts';

/** The span of an operation. Errors of the user's telemetry are logged, and have no other effect. */
export interface Span {
  readonly original: TelemetrySpan;
  /** Sends one attempt with the span as the active one. */
  runAttempt<Result>(send: () => Promise<Result>): Promise<Result>;
  event(event: TelemetryEvent): void;
  /** Ends the span. Only the first call has an effect. */
  readonly end: (result: TelemetryResult) => void;
}

/** Starts the span of an operation, unless the client has no telemetry or the telemetry ignores the operation. */
export function startSpan(
  config: Config,
  operation: TelemetryOperation,
  parent?: Span,
): Span | undefined {
  const { telemetry } = config;
  const original =
    telemetry && safely(config, () => telemetry.startSpan(operation, parent?.original));
  let hasEnded = false;
  return (
    original && {
      original,
      runAttempt: (send) => runOnce(config, (work) => original.runAttempt(work), send),
      event: (event) => safely(config, () => original.event(event)),
      end: (result) => {
        if (!hasEnded) safely(config, () => original.end(result));
        hasEnded = true;
      },
    }
  );
}

/** Captures the caller's context. The returned function starts an operation in it. */
export function captureContext(config: Config) {
  const { telemetry } = config;
  const enter = telemetry && safely(config, () => telemetry.captureContext?.());
  return <Result>(start: () => Promise<Result>): Promise<Result> =>
    enter ? runOnce(config, enter, start) : start();
}

/** Lets `enter` call `work`, and returns its result. Whatever `enter` does, `work` is called once: it may cost money. */
function runOnce<Result>(
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
function safely<Result>({ log }: Config, work: () => Result): Result | undefined {
  let result: Result | undefined;
  notify(log, () => (result = work()), undefined, 'telemetry');
  return result;
}

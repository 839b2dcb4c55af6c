import { PolygateError } from '../../errors/base.ts';
import type {
  TelemetryEvent,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
} from '../../wire/types/telemetry.ts';
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

/** Captures stack traces on V8 and JavaScriptCore. Elsewhere it is missing, or its stacks look different. */
const engine: {
  prototype: Error;
  captureStackTrace?(error: object, topFunction: typeof throwToCaller): void;
} = Error;

/** Maximum number of lines that Node prints for an uncaught error, including its name, excluding the closing brace. */
const maxPrintedLines = 10;

/**
 * Throws an error of the client with a stack trace that shows which code of the caller awaited it. Most errors are
 * created in a timer or in an event of a response, where the engine does not know the awaiting functions.
 *
 * Call this where a failure leaves the client: as the rejection handler of the promise that the caller awaits, or in
 * the `catch` block of the generator that the caller iterates over. The engine follows a promise to the functions that
 * await it only while it has exactly one reaction. If there is no caller to show, the original stack trace stays.
 */
export function throwToCaller(error: unknown): never {
  if (engine.captureStackTrace && PolygateError.is(error)) {
    const { stack = '' } = error;
    engine.captureStackTrace(error, throwToCaller);
    // Native frames show no code.
    const callers = String(error.stack).replace(/\n.*(processTicks|\.next \(<anonymous>).*/g, '');
    // Node prints every enumerable field of an uncaught error, except its name, on a separate line.
    const maxLines = Math.max(3, maxPrintedLines - Object.keys(error).length);
    error.stack = /\n +at /.test(callers) ? callers.split('\n', maxLines).join('\n') : stack;
  }
  throw error;
}

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

import type {
  TelemetryEvent,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
} from '../../schemas/telemetry.ts';
import type { Config } from '../config/config.ts';
import { notify } from '../config/log.ts';
import type { Log } from '../config/log.ts';
import type { ApiCall } from './api-call.ts';

/** The span of an operation. Errors of the user's telemetry are logged, and have no other effect. */
export interface Span {
  readonly original: TelemetrySpan;
  /** Sends one attempt with the span as the active one. */
  runAttempt<Result>(send: () => Promise<Result>): Promise<Result>;
  readonly event: (event: TelemetryEvent) => void;
  /** Ends the span. Only the first call has an effect. */
  readonly end: (result: TelemetryResult) => void;
  /** Ends the span with an error. */
  readonly fail: (error: unknown) => void;
}

/** Starts the span of an operation, unless the client has no telemetry or the telemetry ignores the operation. */
export function startSpan(
  { telemetry, log }: Config,
  operation: TelemetryOperation,
  parent?: Span,
): Span | undefined {
  const original = safely(log, () => telemetry?.startSpan(operation, parent?.original));
  if (!original) return undefined;
  let hasEnded = false;
  const end = (result: TelemetryResult) => {
    if (hasEnded) return;
    hasEnded = true;
    safely(log, () => original.end(result));
  };
  return {
    original,
    runAttempt: (send) => runOnce(log, (work) => original.runAttempt(work), send),
    event: (event) => safely(log, () => original.event(event)),
    end,
    fail: (error) => end({ error }),
  };
}

/** Starts the span of a call with all its attempts. */
export function startCallSpan(
  config: Config,
  { method, template, model, headers, body }: ApiCall,
  parent: Span | undefined,
): Span | undefined {
  const { baseURL } = config;
  const stream = headers?.accept === 'text/event-stream';
  return startSpan(
    config,
    { type: 'call', method, template, baseURL, model, stream, body },
    parent,
  );
}

/** Captures the caller's context. The returned function starts an operation in it. */
export function captureContext({ telemetry, log }: Config) {
  const enter = telemetry && safely(log, () => telemetry.captureContext?.());
  return (
    enter && (<Result>(start: () => Promise<Result>): Promise<Result> => runOnce(log, enter, start))
  );
}

/** Lets `enter` call `work`, and returns its result. Whatever `enter` does, `work` is called once: it may cost money. */
function runOnce<Result>(
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

function safely<Result>(log: Log, work: () => Result): Result | undefined {
  return notify(log, work, undefined, 'telemetry');
}

import type {
  TelemetryEvent,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
} from '../../schemas/telemetry.ts';
import { runOnce, safely } from '../config/caller-context.ts';
import type { Config } from '../config/config.ts';
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

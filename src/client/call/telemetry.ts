import type {
  TelemetryEvent,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
} from '../../wire/types/telemetry.ts';
import { runOnce, safely } from '../config/caller-context.ts';
import type { Config } from '../config/config.ts';
import type { ApiCall } from './api-call.ts';

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

/** Starts the span of a call. */
export function startCallSpan(config: Config, call: ApiCall, parent: Span | undefined) {
  const { method, template, model, headers, body } = call;
  const operation = {
    type: 'call',
    method,
    template,
    baseURL: config.baseURL,
    model,
    stream: headers?.accept === 'text/event-stream',
    // A copy of bytes: telemetry must not be able to change what is sent.
    body: body?.slice(),
  } as const;
  const span = startSpan(config, operation, parent);
  if (call.previous) {
    const { model: from, status } = call.previous;
    span?.event({ type: 'fallback', from, to: model ?? '', status });
  }
  return span;
}

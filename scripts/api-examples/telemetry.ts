/** Examples of the API reference for the `telemetry` option. */
import { Polygate } from 'polygate';
import type { Telemetry, TelemetryEvent, TelemetryOperation } from 'polygate';

// For Telemetry, TelemetryOperation, TelemetrySpan, TelemetryResult
export function timeCalls() {
  const telemetry: Telemetry = {
    startSpan(operation) {
      const startedAt = performance.now();
      return {
        runAttempt: (send) => send(),
        event: () => undefined,
        end: ({ error }) => {
          const ms = Math.round(performance.now() - startedAt);
          console.log(operation.type, ms, error === undefined ? 'ok' : 'failed');
        },
      };
    },
  };
  return new Polygate({ telemetry });
}

// For TelemetryEvent
export function show(event: TelemetryEvent) {
  if (event.type === 'retry') console.log(`Attempt ${event.attempt} in ${event.delayMs} ms`);
  if (event.type === 'charge') console.log(`${event.charge.usd} USD`);
}

// For TelemetryCall, TelemetryGenerate, TelemetryWait
export function nameOf(operation: TelemetryOperation) {
  if (operation.type === 'call') return `${operation.method} ${operation.template}`;
  return `${operation.type} ${operation.kind}`;
}

import type { Telemetry } from 'polygate';

/** One call of a client, with the error that ended it. */
export interface RecordedCall {
  readonly method: string;
  readonly template: string;
  error?: unknown;
}

/** A telemetry object that records the calls of a client, to see which of its poll paths it has tried. */
export function recordCalls() {
  const calls: RecordedCall[] = [];
  const telemetry: Telemetry = {
    startSpan(operation) {
      if (operation.type !== 'call') return undefined;
      const { method, template } = operation;
      const call: RecordedCall = { method, template };
      calls.push(call);
      return {
        runAttempt: (send) => send(),
        event: () => undefined,
        end: ({ error }) => {
          call.error = error;
        },
      };
    },
  };
  return { calls, telemetry };
}

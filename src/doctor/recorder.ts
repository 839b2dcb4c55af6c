import type { Polygate, Telemetry } from 'polygate';

/** One call of a client, with the error that ended it. */
export interface RecordedCall {
  readonly method: string;
  readonly template: string;
  error?: unknown;
}

/**
 * Returns a client that records its calls, to see which poll paths it has tried. A client has only one telemetry, so the
 * recorder replaces that of the caller: traces do not contain these calls.
 */
export function recordCalls(client: Polygate): {
  client: Polygate;
  calls: readonly RecordedCall[];
} {
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
  return { client: client.withOptions({ telemetry }), calls };
}

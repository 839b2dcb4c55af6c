import type { Polygate, Telemetry } from 'polygate';

import { contextOf } from '../../internal.ts';

/** One call of a client, with the error that ended it. */
export interface RecordedCall {
  readonly method: string;
  readonly template: string;
  /** The path that was requested last, and its query. It may be one that the service has named. */
  path?: string;
  error?: unknown;
}

/**
 * Returns a client that records its calls, which must not overlap, to see which poll paths it has tried. A client has
 * only one telemetry, so the recorder replaces that of the caller: traces do not contain these calls.
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
  const { baseURL } = client;
  const send = contextOf(client).fetch;
  const fetch: typeof globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    const call = calls.at(-1);
    if (call && url.startsWith(baseURL)) call.path = url.slice(baseURL.length);
    return send(input, init);
  };
  return { client: client.withOptions({ telemetry, fetch }), calls };
}

import type {
  Polygate,
  PolygateOptions,
  RequestPromise,
  ResponseMeta,
  WithResponse,
  Telemetry,
} from 'polygate';

import { contextOf } from '../../../internal.ts';
import { Spending } from '../spending.ts';
import type { Requirement } from './findings.ts';

/** Limits for requests that cost nothing: one retry, within about ten seconds. */
const freeLimits: PolygateOptions = {
  timeout: 10_000,
  totalTimeout: 12_000,
  maxRetries: 1,
  maxRetryDelay: 5_000,
  // Retries are expected, and each one would be logged as a warning.
  logLevel: 'error',
};

/**
 * What all checks of one diagnosis share. In addition to the outputs that `diagnose` passes on, a check affects later
 * ones through:
 *
 * - `unmet`, which decides whether later checks run;
 * - `adopt`, with options that findings recommend and `needed` marks as `isAdopted`;
 * - `freeMetas` and `read`, with the headers that `header-prefix` looks at;
 * - `spending`: what was spent, `walletUsd`, and `block`, after which nothing more is.
 */
export class DiagnosisContext {
  readonly signal: AbortSignal | undefined;
  readonly spending: Spending;
  /** Why checks with a requirement are skipped; undefined once it is met. */
  readonly unmet: Record<Requirement, string | undefined> = {
    gateway: 'No gateway was found yet.',
    key: 'The API key was not used yet.',
  };
  /** Metadata of the responses to free requests so far, which `header-prefix` looks at. */
  readonly freeMetas: ResponseMeta[] = [];
  #client: Polygate;
  #document: Record<string, unknown> | undefined;

  constructor(gateway: Polygate, maxUsd: number | undefined, signal: AbortSignal | undefined) {
    this.#client = gateway.withOptions(freeLimits);
    this.signal = signal;
    this.spending = new Spending(gateway, maxUsd);
  }

  /** A client with all options that were found to be necessary so far. */
  get client(): Polygate {
    return this.#client;
  }

  /** Uses these options in all later requests. */
  adopt(options: PolygateOptions): void {
    this.#client = this.#client.withOptions(options);
  }

  /** Awaits the result of a free request and keeps its metadata. */
  async read<Result>(request: RequestPromise<Result>): Promise<WithResponse<Result>> {
    const received = await request.withResponse();
    this.freeMetas.push(received.meta);
    return received;
  }

  /** The OpenAPI document of the service, fetched once unless that fails. */
  async openapi(): Promise<Record<string, unknown>> {
    this.#document ??= await this.client.public.openapi({ signal: this.signal });
    return this.#document;
  }
}

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

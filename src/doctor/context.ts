import type {
  Account,
  Model,
  Polygate,
  PolygateOptions,
  RequestPromise,
  ResponseMeta,
  SubmittedTask,
  SucceededGeneration,
  WithResponse,
} from 'polygate';

import type { PricedModel } from './prices.ts';
import { Spending } from './spending.ts';

/** Limits for requests that cost nothing: one retry, within about ten seconds. */
const freeLimits: PolygateOptions = {
  timeout: 10_000,
  totalTimeout: 12_000,
  maxRetries: 1,
  maxRetryDelay: 5_000,
  // Retries are expected, and each one would be logged as a warning.
  logLevel: 'error',
};

/** A task that the diagnosis has paid for. */
export interface PaidTask {
  readonly task: SubmittedTask<'image'>;
  readonly params: {
    readonly model: string;
    readonly prompt: string;
    readonly resolution?: string;
  };
  readonly route: 'generations' | 'tasks';
  readonly priceUsd: number;
  /** The result of the same request with the same key, if it was sent already. */
  replay?: SubmittedTask<'image'> | undefined;
  result?: SucceededGeneration<'image'> | undefined;
}

/** The state of one diagnosis: what earlier checks have found out. */
export class DiagnosisContext {
  /** A client with all options that were found to be necessary: changed by `adopt`, used by all checks. */
  client: Polygate;
  readonly signal: AbortSignal | undefined;
  readonly spending: Spending;
  /** Why there is no gateway; undefined if there is one. Set by `reachable`, decides which checks run. */
  noGateway: string | undefined;
  /** Why the API key cannot be used; undefined if it is accepted. Set by `authentication`, decides which checks run. */
  noKey: string | undefined;
  /** Undefined if it cannot be read. Set by `authentication`, read by `wallet`. */
  account: Account | undefined;
  /** Undefined if the list could not be read. Set by `models`, read by `chat`, `stream` and `image-task`. */
  models: readonly Model[] | undefined;
  /** The chat model that the service has accepted. Set by `chat`, read by `stream`. */
  chatModel: PricedModel | undefined;
  /** Set and completed by `image-task`, read by `replay`, `conflict` and `download`. */
  paidTask: PaidTask | undefined;
  /** Metadata of the responses to free requests: added by `reachable` and `read`, read by `header-prefix`. */
  readonly metas: ResponseMeta[] = [];
  #document: Promise<Record<string, unknown>> | undefined;

  constructor(gateway: Polygate, maxUsd: number | undefined, signal: AbortSignal | undefined) {
    this.client = gateway.withOptions(freeLimits);
    this.signal = signal;
    this.spending = new Spending(gateway, maxUsd);
  }

  /** Uses these options in all later checks. */
  adopt(options: PolygateOptions): void {
    this.client = this.client.withOptions(options);
  }

  /** Awaits the result of a request and keeps its metadata. */
  async read<Result>(request: RequestPromise<Result>): Promise<WithResponse<Result>> {
    const received = await request.withResponse();
    this.metas.push(received.meta);
    return received;
  }

  /** The OpenAPI document of the service, fetched once. */
  openapi(): Promise<Record<string, unknown>> {
    this.#document ??= this.client.public.openapi({ signal: this.signal });
    return this.#document;
  }
}

/** A random text that identifies the requests of one diagnosis. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `polygate-doctor-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

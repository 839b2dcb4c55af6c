/**
 * Metadata parsed from the response headers. If the service repeats the API key in one of them, `(the API key)` is in its
 * place. The `Response` itself, as `withResponse()`, `asResponse()` and `gateway.fetch` return it, is as it was received.
 */
export interface ResponseMeta {
  /** Request id. Include it when you contact support. */
  requestId?: string | undefined;
  /** HTTP status. */
  status: number;
  /** Charge for this request in USD, if the service reported one. */
  chargeUsd?: number | undefined;
  /** Wallet that paid for the request; the only documented value is `unified`. */
  wallet?: string | undefined;
  /** Wallet balance in USD. `balanceCny` is the same balance: do not add the two amounts. */
  balanceUsd?: number | undefined;
  /** Wallet balance in CNY. `balanceUsd` is the same balance: do not add the two amounts. */
  balanceCny?: number | undefined;
  /** Readiness score and status of the account. Set by `account.readiness()`. */
  readiness?: { score?: number | undefined; status?: string | undefined } | undefined;
  /** Id of the submitted task. */
  taskId?: string | undefined;
  /** Whether the idempotency key matched an earlier request, so that nothing was charged again. */
  idempotentReplay: boolean;
  /** Concurrency limits as reported by this response. */
  concurrency: ConcurrencyMeta;
  /** All response headers. */
  headers: Headers;
}

/** Concurrency limits as reported in response headers. */
export interface ConcurrencyMeta {
  /** Maximum number of concurrent chat and generation requests. */
  limit?: number | undefined;
  /** Approximate number of free slots after this request was admitted. */
  remaining?: number | undefined;
  /** Rule that sets the limit, such as `api_key_override` or `tier_enterprise`. */
  source?: string | undefined;
}

/** One charge, as passed to `onCharge`. */
export interface Charge {
  /** Amount in USD; 0 for an idempotent replay of a charge that was already counted. */
  usd: number;
  /** Model of the request. */
  model?: string | undefined;
  /** Method and path template, such as `POST /v1/videos`. */
  route: string;
  /** Request id. */
  requestId?: string | undefined;
  /** Id of the task that was charged. */
  taskId?: string | undefined;
  /** Whether the response is an idempotent replay. */
  replay: boolean;
}

/** Amounts that a client has spent so far. A live view. */
export interface Spend {
  /** Total in USD. Idempotent replays are not counted again. */
  readonly totalUsd: number;
  /** Number of charged requests. */
  readonly requests: number;
  /** Amounts by model id. */
  readonly byModel: ReadonlyMap<string, ModelSpend>;
}

/** Amounts spent on one model. */
export interface ModelSpend {
  /** Total in USD. */
  readonly usd: number;
  /** Number of charged requests. */
  readonly requests: number;
}

/** What the headers of an answer tell, numbers already parsed. Specification: Endpoints, Limits. */
export interface ResponseMeta {
  /** Id of the request; name it when you ask the service for help. */
  requestId?: string | undefined;
  /** HTTP status. */
  status: number;
  /** What this request cost, USD. */
  chargeUsd?: number | undefined;
  /** Which wallet paid; `unified`. */
  wallet?: string | undefined;
  /** Balance in USD. The same money as `balanceCny`: never add them. */
  balanceUsd?: number | undefined;
  /** Balance in CNY. The same money as `balanceUsd`: never add them. */
  balanceCny?: number | undefined;
  /** Readiness of the account, on `account.readiness()`. */
  readiness?: { score?: number | undefined; status?: string | undefined } | undefined;
  /** Id of the task that a submit created. */
  taskId?: string | undefined;
  /** True when the idempotency key found an earlier task and nothing was charged. */
  idempotentReplay: boolean;
  /** The account's concurrency as of this answer. */
  concurrency: ConcurrencyMeta;
  /** All headers. */
  headers: Headers;
}

/** The account's concurrency as an answer reports it. Specification: Limits. */
export interface ConcurrencyMeta {
  /** How many requests may run at once. */
  limit?: number | undefined;
  /** Free slots after this request was admitted, approximately. */
  remaining?: number | undefined;
  /** Which rule gave the limit, such as `api_key_override` or `tier_enterprise`. */
  source?: string | undefined;
}

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

/** One charge, as `onCharge` is told. */
export interface Charge {
  /** USD; 0 for a replay of something that was counted before. */
  usd: number;
  /** The model that was asked. */
  model?: string | undefined;
  /** Method and path template, as in `POST /v1/videos`. */
  route: string;
  /** Id of the request. */
  requestId?: string | undefined;
  /** The task that was paid. */
  taskId?: string | undefined;
  /** Whether the idempotency key found an earlier task. */
  replay: boolean;
}

/** What a client has spent so far; a live view. */
export interface Spend {
  /** USD, replays not counted. */
  readonly totalUsd: number;
  /** Charged requests. */
  readonly requests: number;
  /** The same for each model. */
  readonly byModel: ReadonlyMap<string, ModelSpend>;
}

/** What one model has cost so far. */
export interface ModelSpend {
  /** USD. */
  readonly usd: number;
  /** Charged requests. */
  readonly requests: number;
}

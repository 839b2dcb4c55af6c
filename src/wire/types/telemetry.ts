import type { Charge, ResponseMeta } from './meta.ts';
import type { TaskKind } from './tasks/task.ts';

/**
 * Receives what a client does, for traces and metrics: the value of its `telemetry` option. `openTelemetry()` of
 * `polygate/otel` is an implementation for OpenTelemetry; write your own for another system.
 *
 * Methods are called synchronously and delay the call, so they should return quickly. Errors that they throw are logged
 * and have no other effect.
 */
export interface Telemetry {
  /**
   * Called when an operation starts, before anything is sent. `parent` is the span of the operation of the client that
   * it is part of, such as the wait of a poll; undefined if the caller started it. Return undefined to ignore the
   * operation.
   */
  startSpan(
    operation: TelemetryOperation,
    parent: TelemetrySpan | undefined,
  ): TelemetrySpan | undefined;
  /**
   * Called synchronously by the methods of the client, whose operations start a moment later: inside `start`, which the
   * returned function must call synchronously. Use it to restore the context that was active in the caller. An attempt
   * of a client with hooks calls it for the hooks and `fetch`, which run later. The returned function can be called
   * several times, such as once for each row of a batch.
   */
  captureContext?(): (start: () => void) => void;
}

/** One operation while it runs. */
export interface TelemetrySpan {
  /**
   * Sends one attempt of a call. Call `send` once, synchronously, with this span as the active one. The attempt ends
   * with an event of type `retry`, or with the span.
   */
  runAttempt(send: () => void): void;
  /** Something has happened. A charge can still be reported after the end, by a late response. */
  event(event: TelemetryEvent): void;
  /** The operation has ended, called once. The operation of a stream ends with the stream. */
  end(result: TelemetryResult): void;
}

/** What a client does: one API call with all its attempts, a wait, or a `generate` that consists of both. */
export type TelemetryOperation = TelemetryCall | TelemetryGenerate | TelemetryWait;

/** One API call with all its attempts. */
export interface TelemetryCall {
  readonly type: 'call';
  /** HTTP method. */
  readonly method: string;
  /**
   * Path template of the specification, such as `/v1/images/tasks/{id}`. For `gateway.request`, and for a route that the
   * specification does not have, the path itself, which may contain an id, without the query.
   */
  readonly template: string;
  /** The URL of the service, without `/v1` and without a trailing slash. */
  readonly baseURL: string;
  /** Model id. */
  readonly model?: string | undefined;
  /** Whether the response is streamed. */
  readonly stream?: boolean | undefined;
  /**
   * The body as it is sent. It contains the prompt: record it only if the user wants that.
   */
  readonly body?: string | Uint8Array | undefined;
}

/** A submission and the wait for its task, which are reported as separate operations. */
export interface TelemetryGenerate {
  readonly type: 'generate';
  /** What is generated. */
  readonly kind: TaskKind;
  /** Model id. */
  readonly model: string;
}

/** The wait for a task or material. Each poll is reported as a call. */
export interface TelemetryWait {
  readonly type: 'wait';
  /** What is waited for. */
  readonly kind: TaskKind | 'material';
  /** Id of the task or material. */
  readonly id: string;
}

/** Something that happens during an operation. */
export type TelemetryEvent =
  /** The call has waited for a concurrency slot, for this long in ms. */
  | { readonly type: 'queued'; readonly ms: number }
  /**
   * Attempt number `attempt`, counted from 1, has failed with this status, or without a response. The next one is sent
   * after `delayMs`.
   */
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly status: number | undefined;
      readonly delayMs: number;
    }
  /** The first event of a call that is sent because the call to another model, `from`, has failed with this status. */
  | {
      readonly type: 'fallback';
      readonly from: string;
      readonly to: string;
      readonly status: number | undefined;
    }
  /** A response has reported a charge. Its `usd` is 0 for a replay of a charge that was already reported. */
  | { readonly type: 'charge'; readonly charge: Charge }
  /** The first chunk of a stream has arrived. */
  | { readonly type: 'first-chunk' }
  /** A poll has reported this status, which may be the same as before. */
  | { readonly type: 'status'; readonly status: string };

/** How an operation has ended. */
export interface TelemetryResult {
  /** The error, if the operation has failed. */
  readonly error?: unknown;
  /** Parses the metadata of the response. An error carries its own metadata, as `error.meta`. */
  readonly meta?: (() => ResponseMeta) | undefined;
  /**
   * The result, if it was read: a chat completion, the record of a task, or what else the call returns. Do not change
   * it: the caller receives the same object.
   */
  readonly data?: unknown;
}

import type { ErrorDetails, PolygateError } from '../../../errors/base.ts';
import type { TelemetryWait } from '../../../wire/types/telemetry.ts';
import type { ClientContext } from '../../call/context.ts';
import type { CheckedOptions, PollHeaders } from '../../call/request-options.ts';
import type { ApiResponse } from '../../call/response.ts';
import type { LatestRecord, Pollable } from './latest-record.ts';

/** Options of one poll. */
export interface PollOptions extends CheckedOptions {
  /** When the wait ends that the poll is part of, in monotonic ms. The requests of one poll share the time until then. */
  readonly waitDeadline?: number | undefined;
}

/** The value of a poll; or the last known value, and why the poll failed. */
export type Polled<Value> = Value & { pollError?: Error | undefined };

/** A record that is polled until it is finished, and what a wait for it returns or throws. */
export interface PollTarget<Value extends Pollable, Result> {
  readonly context: ClientContext;
  /** The wait, for telemetry. */
  readonly operation: TelemetryWait;
  /** The initial delay between polls in ms that the specification recommends. */
  readonly pollInterval: number;
  /** Headers of the request that created the record. The wait's own headers are added to them. */
  readonly pollHeaders?: PollHeaders | undefined;
  readonly latest: LatestRecord<Value>;
  /** Polls once, and returns the record. */
  poll(options: PollOptions): Promise<ApiResponse<Value>>;
  /** The value of updates until a poll succeeds. Without one, failed polls yield no update until then. */
  initial?(): Value;
  /** Called with every update that is returned. */
  remember?(update: Value): void;
  /** The result of the wait, given the finished record. Throws if it failed. */
  toResult(last: Value): Result;
  readonly errors: WaitErrors;
}

/** The errors of a wait for a record. */
export interface WaitErrors {
  /** What any of them says about the record. */
  readonly details?: ErrorDetails | undefined;
  /** The signal of the wait has aborted for `reason`. */
  aborted(problem: string, reason: unknown): PolygateError;
  /** The wait has reached its `waitTimeout`. */
  timeout(problem: string): PolygateError;
}

import type { ErrorDetails, PolygateError } from '../../../errors/base.ts';
import type { WaitOptions } from '../../../types/tasks/task-handle.ts';
import type { TelemetryWait } from '../../../types/telemetry.ts';
import type { ClientContext } from '../../call/context.ts';
import type { CheckedOptions, PollHeaders } from '../../call/request/request-options.ts';
import type { ApiResponse } from '../../call/response.ts';
import { noHeaderChanges, parseHeaderChanges } from '../../config/header-changes.ts';
import type { LatestRecord, Pollable } from './latest-record.ts';

/** Options of one poll. */
export interface PollOptions extends CheckedOptions {
  /** When the wait ends that the poll is part of, in monotonic ms. The requests of one poll share the time until then. */
  readonly waitDeadline?: number | undefined;
}

/** The value of a poll; or the last known value, and why the poll failed. */
export type Polled<Value> = Value & { pollError?: Error | undefined };

/** A record that is polled, and what is known about it. */
interface PolledRecord<Value extends Pollable> {
  readonly context: ClientContext;
  /** The wait, for telemetry. */
  readonly operation: TelemetryWait;
  /** The initial delay between polls in ms that the specification recommends. */
  readonly pollInterval: number;
  /** Headers of the request that created the record. The wait's own headers are added to them. */
  readonly pollHeaders?: PollHeaders | undefined;
  readonly latest: LatestRecord<Value>;
}

/** How a wait for a record ends. */
interface WaitEnd<Value, Result> {
  /** The result of the wait, given the finished record. Throws if it failed. */
  toResult(last: Value): Result;
  /** What the errors of a wait say about the record. */
  readonly errorDetails?: ErrorDetails | undefined;
  /** Creates the error for a wait whose signal has aborted for `reason`. */
  abortedError(problem: string, reason: unknown): PolygateError;
  /** Creates the error for a wait that has reached its `waitTimeout`. */
  timeoutError(problem: string): PolygateError;
}

/** What is polled, and how a wait for it ends. */
export interface PollTarget<Value extends Pollable, Result>
  extends PolledRecord<Value>, WaitEnd<Value, Result> {
  /** Polls once, and returns the record. */
  poll(options: PollOptions): Promise<ApiResponse<Value>>;
  /** Called with every update that is returned. */
  remember?(update: Value): void;
  /** The value of updates until a poll succeeds. Without one, failed polls yield no update until then. */
  initial?(): Value;
}

const noPollHeaders: PollHeaders = { headers: noHeaderChanges };

/** The headers of the creating request, and those of the caller, which replace headers of the same name. */
export function mergePollHeaders(
  { headers, requestId }: PollHeaders = noPollHeaders,
  options: Pick<WaitOptions<never>, 'headers' | 'requestId'>,
): PollHeaders {
  return {
    headers: options.headers ? [...headers, ...parseHeaderChanges(options.headers)] : headers,
    requestId: options.requestId ?? requestId,
  };
}

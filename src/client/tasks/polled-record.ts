import type { ErrorDetails, PolygateError } from '../../errors/base.ts';
import type { WaitOptions } from '../../wire/types/tasks/task-handle.ts';
import type { TelemetryWait } from '../../wire/types/telemetry.ts';
import type { ClientContext } from '../call/context.ts';
import type { CheckedOptions, PollHeaders } from '../call/request-options.ts';
import type { ApiResponse } from '../call/response.ts';
import { monotonicNow } from '../config/clock.ts';
import { noHeaderChanges, parseHeaderChanges } from '../config/validation.ts';
import { headersOf } from '../http/response-body.ts';
import { parseRetryAfter } from '../http/response-meta.ts';

/** Options of one poll. */
export interface PollOptions extends CheckedOptions {
  /** When the wait ends that the poll is part of, in monotonic ms. The requests of one poll share the time until then. */
  readonly waitDeadline?: number | undefined;
}

/** The value of a poll; or the last known value, and why the poll failed. */
export type Polled<Value> = Value & { pollError?: Error | undefined };

/** A record to wait for, before the code that waits is loaded. */
export interface WaitStart {
  readonly context: ClientContext;
  /** What the errors of the wait say about the record. */
  readonly errorDetails?: ErrorDetails | undefined;
  /** Creates the error of a wait whose signal has aborted for `reason`. */
  aborted(reason: unknown): PolygateError;
}

/** A record that is polled until it is finished, and what a wait for it returns or throws. */
export interface PollTarget<Value extends Pollable, Result> extends WaitStart {
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
  /** Creates the error of a wait that has reached its `waitTimeout`. */
  timeout(problem: string): PolygateError;
}

/** What errors say about a wait whose signal has aborted. */
export const waitAborted = 'The wait was aborted.';

/** The fields that polling itself reads. */
export interface Pollable {
  status: string;
  rawStatus?: string;
}

/** A record as a poll returned it. */
export interface PollResult<Value> {
  readonly data: Value;
  /** When it was received, in monotonic ms. */
  readonly at: number;
  readonly retryAfterMs?: number | undefined;
}

/** The record of a response. */
export function toPollResult<Value>(
  { data, response }: ApiResponse<Value>,
  { config: { clock } }: ClientContext,
): PollResult<Value> {
  const retryAfterMs = parseRetryAfter(headersOf(response), clock.now());
  return { data, at: monotonicNow(clock), retryAfterMs };
}

/** The last known record of something that is polled. */
export class LatestRecord<Value extends Pollable> {
  readonly #isFinal: (status: string) => boolean;
  #received: PollResult<Value> | undefined;

  constructor(isFinal: (status: string) => boolean, received?: PollResult<Value>) {
    this.#isFinal = isFinal;
    this.#received = received;
  }

  /** The record as it was received; undefined if none is known. */
  get received(): PollResult<Value> | undefined {
    return this.#received;
  }

  /** The record itself. */
  get value(): Value | undefined {
    return this.#received?.data;
  }

  /** The record itself, if it has ended. */
  get finished(): Value | undefined {
    const { value } = this;
    return value && this.#isFinal(value.status) ? value : undefined;
  }

  /** Keeps a record, unless it has not ended and the known one has: then it is older, although it has arrived later. */
  keep(received: PollResult<Value>): void {
    if (!this.finished || this.#isFinal(received.data.status)) this.#received = received;
  }
}

const noPollHeaders: PollHeaders = { headers: noHeaderChanges };

/**
 * The headers of polls: those of the caller's options, and those of the request that created the record. The caller's
 * replace others of the same name.
 */
export function pollHeadersOf(
  options: Pick<WaitOptions<never>, 'headers' | 'requestId'>,
  { headers, requestId }: PollHeaders = noPollHeaders,
): PollHeaders {
  return {
    headers: options.headers ? [...headers, ...parseHeaderChanges(options.headers)] : headers,
    requestId: options.requestId ?? requestId,
  };
}

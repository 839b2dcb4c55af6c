import type { ClientContext } from '../../call/context.ts';
import type { ApiResponse } from '../../call/response.ts';
import { monotonicNow } from '../../config/clock.ts';
import { headersOf } from '../../http/response-body.ts';
import { parseRetryAfter } from '../../http/response-meta.ts';

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

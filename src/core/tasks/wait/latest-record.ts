import type { PollResult, Pollable } from './poll-target.ts';

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

import type { ReleaseSlot } from './concurrency-limiter.ts';

const nothing = () => undefined;

/** The concurrency slot of an attempt. A stream, which continues after the attempt, takes it over. */
export class SlotLease {
  /** Whether a stream has taken it over. */
  isTransferred = false;
  readonly #release: ReleaseSlot;

  /** Without an argument, of an attempt that holds no slot. */
  constructor(release: ReleaseSlot = nothing) {
    this.#release = release;
  }

  /** Leaves the release of the slot to the caller. */
  transfer(): ReleaseSlot {
    this.isTransferred = true;
    return this.#release;
  }

  /** Takes the slot back from a stream that could not be opened, because its attempt has failed. */
  takeBack(): void {
    this.isTransferred = false;
  }

  /** Releases the slot when the attempt ends, unless a stream has taken it over. */
  end(): void {
    if (!this.isTransferred) this.#release();
  }
}

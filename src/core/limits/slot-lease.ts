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

  /** Ends the lease of an attempt that has failed, whether the slot was transferred or not. */
  fail(): void {
    this.isTransferred = false;
    this.#release();
  }

  /** Ends the lease of an attempt that has succeeded. */
  end(): void {
    if (!this.isTransferred) this.#release();
  }
}

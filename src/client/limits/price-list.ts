import { monotonicNow } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';

export { createReservations } from '../../paid/reservations.ts';

/** How long a list is used before it is loaded again, in ms. */
const maxAge = 300_000;

/** How long no list is loaded after a failure, in ms. */
const pauseAfterFailure = 10_000;

/**
 * The price list of the service, which a client with a budget loads before the first call whose price it can contain. Its
 * failure is never the reason why a call fails: the price is then not known.
 */
export class PriceList {
  readonly #clock: Clock;
  #loading: Promise<void> | undefined;
  #loadAgainAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Loads the list, once for parallel calls; undefined if it was loaded. `list` requests it and records its prices. */
  load(list: () => Promise<unknown>): Promise<void> | undefined {
    if (monotonicNow(this.#clock) < this.#loadAgainAt) return undefined;
    this.#loading ??= list()
      .then(
        () => this.#pause(maxAge),
        () => this.#pause(pauseAfterFailure),
      )
      .finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  #pause(ms: number): void {
    this.#loadAgainAt = monotonicNow(this.#clock) + ms;
  }
}

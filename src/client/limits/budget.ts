import { roundUsd, toNano, toUsd } from '../../paid/amounts.ts';
import { limitPolicies } from '../../paid/limits.ts';
import type { Reservation, Stage } from '../../paid/reservations.ts';
import { monotonicNow } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { Budget } from '../config/options.ts';
import type { Ledger } from './ledger.ts';

// What only a client with a budget needs: it is loaded before its first paid call.

export { createReservations } from '../../paid/reservations.ts';

/** Why a budget does not cover a call. */
export interface Shortfall {
  readonly problem: string;
  /** Charged so far, in USD. */
  readonly spentUsd: number;
}

/** Reserves the price of a call in USD. Returns why the budget does not cover it. */
export function reserve(
  reservation: Reservation,
  { maxUsd, strict }: Budget,
  { price, isListed, stage }: { price: number | undefined; isListed: boolean; stage: Stage },
): Shortfall | undefined {
  const policy = strict ? limitPolicies.strictClient : limitPolicies.client;
  const shortfall = reservation.reserve({ nanoUsd: toNano(maxUsd), policy }, price, stage);
  if (shortfall === undefined) return undefined;
  const { spent, reserved } = shortfall;
  const spentUsd = toUsd(spent);
  const limit = roundUsd(maxUsd);
  const state = `${spentUsd} of ${limit} USD spent, ${toUsd(reserved)} USD reserved`;
  if (shortfall.price !== undefined) {
    const cost = `this request costs ${toUsd(shortfall.price)} USD`;
    return { problem: `Budget exceeded: ${state}; ${cost}`, spentUsd };
  }
  const unknown = isListed
    ? 'is not in the price list of the service'
    : 'is known only when it is complete';
  const problem =
    toUsd(spent + reserved) >= limit
      ? `Budget exceeded: ${state}; the price of this request ${unknown}`
      : `The strict budget rejects this request, because its price ${unknown}: ${state}`;
  return { problem, spentUsd };
}

/** What the clients of one account share, as far as a budget needs it. */
interface Shared {
  readonly ledger: Pick<Ledger, 'view' | 'reservedUsd'>;
  priceList?: PriceList;
}

/** Loads the price list with `list`; undefined if nothing is left of the budget, or if the list was loaded. */
export function loadPrices(
  shared: Shared,
  { maxUsd }: Budget,
  clock: Clock,
  list: () => Promise<unknown>,
): Promise<void> | undefined {
  const { view, reservedUsd } = shared.ledger;
  if (view.totalUsd + reservedUsd >= maxUsd) return undefined;
  shared.priceList ??= new PriceList(clock);
  return shared.priceList.load(list);
}

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

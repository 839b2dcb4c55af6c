import { toNano } from './amounts.ts';
import { countKey, isFree } from './keys.ts';
import type { CountedKey } from './keys.ts';
import type {
  createReservations,
  ReservedRequest,
  Reservation,
  Reservations,
} from './reservations.ts';

/** A paid request. */
export interface Claim extends Pick<ReservedRequest, 'route' | 'unitsOf'> {
  /** Identifies the charge: requests with the same key are charged once, if it `isChargedOnce`. */
  readonly key: string | undefined;
  readonly isChargedOnce: boolean;
  /** Identifies the body. Called only if a request with a key is reserved, or its key was charged. */
  readonly readBody: () => string;
}

/** The part of one request in the books. Prices and charges are in USD, as the service reports them. */
export interface Entry {
  /** Its reservation, if limits were used when it was opened. */
  readonly reservation: Reservation | undefined;
  /** Ends the reservation and adds a charge. Returns whether it counts: a replay of a counted key costs nothing. */
  charge(usd: number, replay: boolean): boolean;
  /**
   * Ends a request that has succeeded without a reported charge. What was reserved, and at least `estimate()`, counts until
   * a replay reports the charge. A replay of a counted key adds nothing.
   */
  accept(estimate: () => number | undefined, replay: boolean): void;
}

/** How many keys to remember at least, to recognize replays of charges that count already. */
const maxRememberedKeys = 10_000;

/** A key that counts; with an estimate if no response has reported its charge. */
interface Counted extends CountedKey {
  readonly estimate?: number | undefined;
  /** The number of requests that were opened before. */
  readonly after: number;
}

/** What is spent, reserved and left, in billionths of a USD. */
export class Books {
  /** The charges that responses have reported. */
  spent = 0;
  /** The estimates of requests that have succeeded without a reported charge. */
  #estimated = 0;
  #keys = new Map<string, Counted>();
  /** The keys before these. To forget all of them is faster than to find the oldest one again and again. */
  #olderKeys = this.#keys;
  #reservations: Reservations | undefined;
  #requests = 0;

  /** Reservations and estimates. */
  get reserved(): number {
    return this.#estimated + (this.#reservations?.total ?? 0);
  }

  /** Reserves requests that are opened from now on, so that limits can cover them. */
  useLimits(create: typeof createReservations): Reservations {
    const committed = () => ({ spent: this.spent, estimated: this.#estimated });
    return (this.#reservations ??= create(committed));
  }

  /** Opens the part of one request. Nothing is reserved yet. */
  open({ key, isChargedOnce, readBody, route, unitsOf }: Claim): Entry {
    const number = (this.#requests += 1);
    const id = `request ${number}`;
    const isKeyed = isChargedOnce && key !== undefined;
    let body: string | undefined;
    const bodyOf = () => (isKeyed ? (body ??= readBody()) : '');
    const reservation = this.#reservations?.open({
      route,
      unitsOf,
      id,
      // A request that is charged each time shares its reservation with no other.
      holder: isKeyed ? holderOf(key) : id,
      bodyOf,
      isFree: () => isKeyed && isFree(this.#counted(key), bodyOf),
    });
    return {
      reservation,

      charge: (usd, replay) => {
        const counted = this.#counted(key);
        const estimate = counted?.estimate;
        reservation?.charge(usd);
        const mayBeOriginal = isChargedOnce && number <= (counted?.after ?? 0);
        // The charge replaces the estimate of its key. With a fallback, an original response may be that of another model.
        const isEstimated = estimate !== undefined && (replay || mayBeOriginal);
        if (isEstimated) this.#estimated -= estimate;
        const before = isEstimated ? undefined : counted;
        const { isCounted, key: next } = countKey(before, { replay, mayBeOriginal, body });
        this.#remember(key, next, before?.after ?? this.#requests);
        if (!isCounted) this.spent += toNano(usd);
        return !isCounted;
      },

      accept: (estimate, replay) => {
        const price = estimate();
        const kept = reservation?.accept(price, replay) ?? toNano(price ?? 0);
        const counted = this.#counted(key);
        const mayBeOriginal = isChargedOnce && number <= (counted?.after ?? 0);
        const { isCounted, key: next } = countKey(counted, { replay, mayBeOriginal, body });
        // The estimate of a key that the service has charged again is final.
        const { after, estimate: counting } = counted ?? { after: this.#requests, estimate: kept };
        this.#remember(key, next, after, counting);
        if (!isCounted) this.#estimated += kept;
      },
    };
  }

  #counted(key: string | undefined): Counted | undefined {
    return key === undefined ? undefined : (this.#keys.get(key) ?? this.#olderKeys.get(key));
  }

  #remember(key: string | undefined, counted: CountedKey, after: number, estimate?: number): void {
    if (key === undefined) return;
    const { fromReplay, body, isForgotten } = counted;
    // Without a spread, which takes longer than the rest.
    this.#keys.set(key, { fromReplay, body, isForgotten, after, estimate });
    if (this.#keys.size <= maxRememberedKeys) return;
    this.#olderKeys = this.#keys;
    this.#keys = new Map();
  }
}

/** What a key reserves for. */
export const holderOf = (key: string): string => `key ${key}`;

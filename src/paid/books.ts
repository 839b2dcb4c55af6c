import { toNano } from './amounts.ts';
import { verdictOfError } from './failed-call.ts';
import { countKey, isFree } from './keys.ts';
import type { CountedKey } from './keys.ts';
import type { ReservedRequest, Reservation, Reservations } from './reservations.ts';

/** A paid request. */
export interface Claim extends Pick<ReservedRequest, 'route' | 'unitsOf'> {
  /** Identifies the charge: requests with the same key are charged once, if it `isChargedOnce`. */
  readonly key: string | undefined;
  readonly isChargedOnce: boolean;
  /** Estimates its price in USD; undefined if that is not known. */
  readonly estimate: () => number | undefined;
  /** Identifies the body. Called only if a request with a key is reserved, or its key was charged. */
  readonly readBody: () => string;
}

/** How many keys to remember at least, to recognize replays of charges that count already. */
const maxRememberedKeys = 10_000;

/** How many routes to remember at most. The path of a raw request is one, too. */
const maxRememberedRoutes = 1_000;

/** A key that counts. */
interface Counted extends CountedKey {
  /** The number of requests that were opened before. */
  readonly after: number;
}

/** What is spent, reserved and left, in billionths of a USD. */
export class Books {
  /** The charges that responses have reported. */
  spent = 0;
  /** The estimates of requests that have succeeded without a reported charge. */
  estimated = 0;
  /** The number of requests that were opened. */
  requests = 0;
  /** The routes of requests that were lost before limits were used, and count with no amount, by holder. */
  readonly unpriced = new Map<string, string>();
  /** The largest charge of each route before limits were used. */
  readonly largest = new Map<string, number>();
  /** Where requests reserve, from the first use of limits on. */
  reservations: Reservations | undefined;
  #keys = new Map<string, Counted>();
  /** The keys before these. To forget all of them is faster than to find the oldest one again and again. */
  #olderKeys: ReadonlyMap<string, Counted> | undefined;

  /** Reservations and estimates. */
  get reserved(): number {
    return this.estimated + (this.reservations?.total ?? 0);
  }

  /** Opens the part of one request. Nothing is reserved yet. */
  open(claim: Claim): Entry {
    return new Entry(this, claim);
  }

  /** No key is empty. */
  counted(key = ''): Counted | undefined {
    return this.#keys.get(key) ?? this.#olderKeys?.get(key);
  }

  /** Remembers what a request of a route has cost. */
  learn(route: string, usd: number): void {
    const { largest } = this;
    if (largest.size >= maxRememberedRoutes && !largest.has(route)) return;
    largest.set(route, Math.max(toNano(usd), largest.get(route) ?? 0));
  }

  remember(key: string, counted: Counted): void {
    this.#keys.set(key, counted);
    if (this.#keys.size <= maxRememberedKeys) return;
    this.#olderKeys = this.#keys;
    this.#keys = new Map();
  }
}

/** The part of one request in the books. Prices and charges are in USD, as the service reports them. */
export class Entry implements ReservedRequest {
  readonly id: string;
  readonly holder: string;
  readonly route: string;
  readonly unitsOf: Claim['unitsOf'];
  #reservation: Reservation | undefined;
  readonly #claim: Claim;
  readonly #books: Books;
  readonly #number: number;
  #body: string | undefined;

  constructor(books: Books, claim: Claim) {
    const { key, isChargedOnce, route, unitsOf } = claim;
    this.#books = books;
    this.#claim = claim;
    this.#number = books.requests += 1;
    // No key contains the end of a line.
    this.id = `${this.#number}\n`;
    // A request that is charged each time shares its reservation with no other.
    this.holder = (isChargedOnce && key) || this.id;
    this.route = route;
    this.unitsOf = unitsOf;
  }

  /** Its reservation, once limits are used. */
  get reservation(): Reservation | undefined {
    return (this.#reservation ??= this.#books.reservations?.open(this));
  }

  bodyOf(): string {
    if (this.holder === this.id) return '';
    return (this.#body ??= this.#claim.readBody());
  }

  isFree(nanoUsd: number): boolean {
    if (this.holder === this.id) return false;
    return isFree(this.#books.counted(this.holder), nanoUsd, () => this.bodyOf());
  }

  /**
   * Ends a request that has failed. What may have been charged stays reserved. Before limits are used, its estimate counts
   * until any response with its key reports the charge.
   */
  leave(error: unknown): void {
    const { money } = verdictOfError(error);
    const price = this.#claim.estimate();
    const { reservation } = this;
    if (reservation) reservation.leave(money, price);
    else if (money === 'unknown') {
      this.#estimate(toNano(price ?? 0), true, Infinity);
      if (price === undefined) this.#books.unpriced.set(this.holder, this.route);
    }
  }

  /** Ends the reservation and adds a charge. Returns whether it counts: a replay of a counted key costs nothing. */
  charge(usd: number, replay: boolean): boolean {
    const { reservation } = this;
    const counted = this.#books.counted(this.#claim.key);
    if (reservation) reservation.charge(usd, this.#claim.estimate, counted !== undefined);
    else this.#books.learn(this.route, usd);
    const estimate = counted?.estimate;
    // The charge replaces the estimate of its key. With a fallback, an original response may be that of another model.
    const isEstimated = estimate !== undefined && (replay || this.#mayBeOriginal(counted));
    if (isEstimated) this.#books.estimated -= estimate;
    const before = isEstimated ? undefined : counted;
    const isCounted = this.#count(before, replay, before?.after ?? this.#books.requests);
    if (!isCounted) this.#books.spent += toNano(usd);
    return !isCounted;
  }

  /**
   * Ends a request that has succeeded without a reported charge. What was reserved counts, and at least its price or, if that
   * is not known, the largest charge of its route. A replay of a counted key adds nothing.
   */
  accept(replay: boolean): void {
    const { requests, largest } = this.#books;
    const price = this.#claim.estimate();
    const usual = price === undefined ? (largest.get(this.route) ?? 0) : toNano(price);
    const isCounted = this.#books.counted(this.#claim.key) !== undefined;
    this.#estimate(this.reservation?.accept(price, replay, isCounted) ?? usual, replay, requests);
  }

  /** Counts an amount until a replay reports the charge, or a request of those up to `last`. */
  #estimate(nanoUsd: number, replay: boolean, last: number): void {
    const counted = this.#books.counted(this.#claim.key);
    // The estimate of a key that the service has charged again is final.
    const { after, estimate } = counted ?? { after: last, estimate: nanoUsd };
    if (!this.#count(counted, replay, after, estimate)) this.#books.estimated += nanoUsd;
  }

  #mayBeOriginal(counted: Counted | undefined): boolean {
    return this.#claim.isChargedOnce && this.#number <= (counted?.after ?? 0);
  }

  /** Remembers the key of a charge or an estimate. Returns whether it counts already. */
  #count(counted: Counted | undefined, replay: boolean, after: number, estimate?: number): boolean {
    const { key } = this.#claim;
    const charge = { replay, mayBeOriginal: this.#mayBeOriginal(counted), body: this.#body };
    const {
      isCounted,
      key: { fromReplay, body, isForgotten },
    } = countKey(counted, charge);
    this.#books.unpriced.delete(this.holder);
    // Without a spread, which takes longer than the rest.
    if (key !== undefined)
      this.#books.remember(key, { fromReplay, body, isForgotten, after, estimate });
    return isCounted;
  }
}

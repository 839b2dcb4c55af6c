import { toNano } from './amounts.ts';
import { amountOf, hold, isInFlight, partOf, settle } from './held.ts';
import type { Holders } from './held.ts';
import { decideLimit, expectedOf, isUnpriced } from './limits.ts';
import type { LimitPolicy, LimitState } from './limits.ts';
import { ReservedSums } from './prices.ts';
import type { PricedUnits } from './prices.ts';
import { RouteTurns } from './turns.ts';
import { isUnpaid } from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** A paid request that a limit covers. */
export interface ReservedRequest {
  readonly id: string;
  /** Requests to one route have similar prices. */
  readonly route: string;
  /** What shares its reservation, because it is charged once: a key, or the request alone. */
  readonly holder: string;
  /** Identifies its body. */
  readonly bodyOf: () => string;
  /** What a request with this listed price in USD pays for; undefined if that is not known. */
  readonly unitsOf: (price: number) => PricedUnits | undefined;
  /** Whether it costs nothing, because its key was charged. If that is estimated, at least this amount. */
  readonly isFree: (nanoUsd: number) => boolean;
}

/** A limit that a request must not exceed. */
export interface Limit {
  readonly nanoUsd: number;
  readonly policy: LimitPolicy;
  /** Number of requests for which a request can wait. */
  readonly inFlight?: number;
}

/** Why a limit does not cover a request, in billionths of a USD: the amounts without its own, and what it may cost. */
export interface Shortfall extends Pick<LimitState, 'next' | 'unpriced'> {
  readonly decision: 'wait' | 'exceeded';
  readonly spent: number;
  readonly reserved: number;
}

/** `resending` follows an attempt that may have been charged. */
export type Stage = 'queueing' | 'sending' | 'resending';

/** What is spent, and the estimates that count. */
interface Committed extends Readonly<Record<'spent' | 'estimated', number>> {
  /** The largest charge of each route before. */
  readonly largest?: ReadonlyMap<string, number>;
  /** The routes of requests that were lost before, and count with no amount, by holder. */
  readonly unpriced?: ReadonlyMap<string, string>;
}

/** The reservations of one client or process: what limits compare with the amounts that are spent. */
export class Reservations extends ReservedSums {
  readonly #holders: Holders = new Map();
  /** The holders of a policy that waits whose requests are not sent. */
  readonly unsent = new Set<string>();
  readonly turns = new RouteTurns();
  readonly committed: Committed;

  /** `committed` is live. */
  constructor(committed: Committed) {
    super();
    this.committed = committed;
    const { largest = [], unpriced = [] } = committed;
    for (const [priceClass, nanoUsd] of largest) {
      this.learn({ priceClass, units: 1 }, nanoUsd);
      this.turns.answer(priceClass);
    }
    for (const [holder, priceClass] of unpriced) {
      this.hold({ holder, id: holder }, 0, { priceClass, units: 1 });
    }
  }

  /** What requests have reserved that are not sent: each is checked again before. */
  totalUnsent(except?: string): number {
    let nano = 0;
    for (const holder of this.unsent) if (holder !== except) nano += this.amountOf(holder);
    return nano;
  }

  /** What a request may cost: its price in USD, or what such requests have been charged above it. */
  expected(price: number, units: PricedUnits | undefined): number {
    return Math.max(toNano(price), this.largest(units));
  }

  /** Reserves an amount for a request, unless it has reserved as much. `units` is what it pays for, if that is known now. */
  hold(
    { holder, id }: Pick<ReservedRequest, 'holder' | 'id'>,
    nanoUsd: number,
    units?: PricedUnits,
  ): void {
    if (nanoUsd <= (partOf(this.#holders.get(holder), id)?.nanoUsd ?? -1)) return;
    hold(this.#holders, holder, id, nanoUsd);
    this.set(holder, amountOf(this.#holders.get(holder)), units);
  }

  /** Ends the part of a request. `isCounted`: see `settle` in `held.ts`. */
  settle(request: ReservedRequest, money: Verdict['money'], isCounted?: boolean): void {
    const { holder, id } = request;
    const body = request.bodyOf();
    this.unsent.delete(holder);
    const hasResult = money === 'charged' || money === 'accepted';
    if (!this.#holders.has(holder) && !hasResult) return;
    settle(this.#holders, holder, { request: id, body, money, isCounted });
    const held = this.#holders.get(holder);
    if (held === undefined) return this.delete(holder);
    this.set(holder, amountOf(held));
    // Nothing more is reported about a request that shares its holder with no other, so only its amount is kept.
    if (holder === id && !held.some(isInFlight)) this.#holders.delete(holder);
  }

  /** Opens the reservation of one request. Nothing is reserved yet. Prices and charges are in USD. */
  open(request: ReservedRequest): Reservation {
    return new Reservation(request, this);
  }
}

/** The reservation of one request. */
export class Reservation {
  readonly #request: ReservedRequest;
  readonly #all: Reservations;
  readonly #ofRoute: PricedUnits;
  #isReserved = false;
  #isCharged = false;
  /** Whether a limit covers the request, although it reserves no amount, and no charge is reported. */
  #isUnpriced = false;
  /** Whether the request has failed. Work of it that still runs is about to find its signal aborted, and reserves nothing. */
  #hasLeft = false;
  /** In USD, as it was last reserved; undefined if it is not known. */
  price: number | undefined;
  #units: PricedUnits | undefined;

  constructor(request: ReservedRequest, all: Reservations) {
    this.#request = request;
    this.#all = all;
    this.#ofRoute = { priceClass: request.route, units: 1 };
  }

  /**
   * If nothing is known about the price of the request, those of its route are sent one at a time until the first
   * one has a response: returns what to wait for before the next try, or undefined if it is the turn of this request.
   */
  waitForTurn(isSending: boolean): Promise<void> | undefined {
    if (this.price !== undefined || this.#hasLeft || this.#isReserved || this.#request.isFree(0)) {
      return undefined;
    }
    return this.#all.turns.wait(this.#request.route, this.#request.id, isSending);
  }

  /** The request was rejected, and is sent again. Until then, it is the turn of another one. */
  passTurn(): void {
    this.#all.turns.leave(this.#request.route, this.#request.id);
  }

  /** The hooks of the request run, and may send others of its route. It waits for its turn again before it is sent. */
  pauseTurn(): void {
    this.#all.turns.pause(this.#request.route, this.#request.id);
  }

  /**
   * Reserves the price of the request, and at least what such requests have cost; or the largest charge of its route so
   * far if `price` is undefined. Returns the shortfall if the limit does not cover it.
   */
  reserve(
    { nanoUsd: limit, policy, inFlight = 0 }: Limit,
    price: number | undefined,
    stage: Stage,
  ): Shortfall | undefined {
    const all = this.#all;
    const request = this.#request;
    // While it was queueing, others may have cost more than they had reserved.
    if (this.#hasLeft || (this.#isReserved && stage !== 'sending')) return undefined;
    const isQueueing = stage === 'queueing';
    const { spent, estimated } = all.committed;
    const { holder } = request;
    // Others that wait for their slot are checked again, too, so they do not keep this one back.
    const unsent = policy.waits && !isQueueing ? all.totalUnsent(holder) : 0;
    const reserved = estimated + all.total - all.amountOf(holder) - unsent;
    if (price !== this.price) {
      this.#units = price === undefined ? undefined : request.unitsOf(price);
    }
    this.price = price;
    const isKnown = price !== undefined;
    const known = isKnown ? all.expected(price, this.#units) : undefined;
    const canLearn = !isKnown && policy.unknownPrice !== 'refuse';
    const next = expectedOf(known, canLearn ? all.known(this.#ofRoute) : undefined);
    if (request.isFree(next.nanoUsd)) return undefined;
    const unpriced = !isKnown && isQueueing ? all.unitsAtLargest(this.#ofRoute, holder) : 0;
    const state = { limit, committed: spent + reserved, next, inFlight, unpriced };
    const decision = decideLimit(policy, state);
    if (decision !== 'held') return { decision, spent, reserved, next, unpriced };
    const isGuess = policy.unknownPrice === 'pass' && next.basis !== 'price';
    // Until it has a slot, others may cost less, so many can wait: each is checked again before it is sent.
    this.#isUnpriced = isUnpriced(next) || (isGuess && isQueueing);
    // Once it is sent, it counts as much as the first charge of its route.
    if (isGuess && this.#isUnpriced && !isQueueing) all.hold(request, 0, this.#ofRoute);
    if (this.#isUnpriced) return undefined;
    all.hold(request, next.nanoUsd, this.#units);
    if (policy.waits && isQueueing) all.unsent.add(holder);
    else all.unsent.delete(holder);
    this.#isReserved = true;
    return undefined;
  }

  /**
   * Reserves the price again for the first attempt after a charge, unless it is free. Returns the shortfall if the limit does not
   * cover it when it is decided, or right before it is sent. Any other attempt keeps what is reserved, whatever the limit covers.
   */
  repeat(limit: Limit, stage: 'resending' | 'sending'): Shortfall | undefined {
    if (!this.#isCharged) return undefined;
    const shortfall = this.reserve(limit, this.price || undefined, stage);
    if (shortfall) {
      this.#isReserved = false;
      this.#all.settle(this.#request, 'none');
    } else if (stage === 'sending') this.#isCharged = false;
    return shortfall;
  }

  /**
   * Ends a request that has failed. What may have been charged stays reserved, also if no limit covers it: its price in USD or,
   * if that is not known, the charge of its route, as soon as one is known.
   */
  leave(money: Verdict['money'], price?: number): void {
    const all = this.#all;
    const request = this.#request;
    this.#hasLeft = true;
    all.turns.leave(request.route, request.id);
    const isUncharged = isUnpaid({ money });
    const units = this.#unitsAt(price);
    const nanoUsd = all.expected(price ?? 0, units);
    const isLost = this.#isUnpriced
      ? !isUncharged
      : money === 'unknown' && !request.isFree(nanoUsd);
    if (isLost && !this.#isReserved) all.hold(request, nanoUsd, units);
    all.settle(request, isUncharged ? money : 'unknown');
  }

  /** The request reserves at least this amount in USD: it may have been charged, although its key seemed to be free. */
  raise(usd: number): void {
    this.#all.hold(this.#request, toNano(usd));
  }

  /**
   * A response reports a charge: ends what is reserved, and learns what such requests cost. `estimate` returns the listed price
   * of one that no limit has covered. `isCounted`: its key counted before.
   */
  charge(usd: number, estimate?: () => number | undefined, isCounted?: boolean): void {
    this.#all.turns.answer(this.#request.route);
    this.#isCharged = true;
    this.#isReserved = false;
    this.#isUnpriced = false;
    this.#all.settle(this.#request, 'charged', isCounted);
    this.#all.learn(this.#ofRoute, toNano(usd));
    const price = this.price ?? estimate?.();
    // Others like it reserve as much if it has cost more than its price.
    const units = price !== undefined && usd > price && this.#request.unitsOf(price);
    if (units) this.#all.learn(units, toNano(usd));
  }

  /** What it pays for: if its listed price is not known, what any request of its route does. */
  #unitsAt(price: number | undefined): PricedUnits | undefined {
    return price === undefined ? this.#ofRoute : this.#request.unitsOf(price);
  }

  /**
   * Ends a request that has succeeded without a reported charge. Returns what it has reserved, and at least `price` and the
   * largest charge of its class or, if that is undefined, of its route. A replay without a charge does not show the price of
   * the next request.
   */
  accept(price: number | undefined, replay: boolean, isCounted: boolean): number {
    const { route, id, holder } = this.#request;
    if (replay) this.#all.turns.leave(route, id);
    else this.#all.turns.answer(route);
    this.#isUnpriced = false;
    const usual = this.#all.expected(price ?? 0, this.#unitsAt(price));
    const kept = Math.max(this.#all.amountOf(holder), usual);
    this.#all.settle(this.#request, 'accepted', isCounted);
    return kept;
  }
}

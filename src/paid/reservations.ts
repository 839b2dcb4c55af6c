import { toNano } from './amounts.ts';
import { amountOf, hold, settle } from './held.ts';
import type { Holders } from './held.ts';
import { decideLimit } from './limits.ts';
import type { LimitPolicy } from './limits.ts';
import { ReservedSums, RouteTurns } from './prices.ts';
import type { PricedUnits } from './prices.ts';
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
  /** Whether it costs nothing, because its key was charged. */
  readonly isFree: () => boolean;
}

/** A limit that a request must not exceed. */
export interface Limit {
  readonly nanoUsd: number;
  readonly policy: LimitPolicy;
}

/** Why a limit does not cover a request, in billionths of a USD: the amounts without its own, and what it may cost. */
export interface Shortfall {
  readonly spent: number;
  readonly reserved: number;
  readonly price: number | undefined;
}

/** `resending` follows an attempt that may have been charged. */
export type Stage = 'queueing' | 'sending' | 'resending';

/** What is spent, and the estimates that count. */
interface Committed {
  readonly spent: number;
  readonly estimated: number;
}

/** Creates empty reservations. `committed` is live. */
export const createReservations = (committed: Committed): Reservations =>
  new Reservations(committed);

/** The reservations of one client or process: what limits compare with the amounts that are spent. */
export class Reservations {
  readonly #holders: Holders = new Map();
  readonly #sums = new ReservedSums<string>();
  readonly turns = new RouteTurns();
  readonly committed: Committed;

  constructor(committed: Committed) {
    this.committed = committed;
  }

  /** Reserved for requests in flight and those that may have been charged, in billionths of a USD. */
  get total(): number {
    return this.#sums.total;
  }

  amountFor(holder: string): number {
    return this.#sums.amountOf(holder);
  }

  /** What requests have cost that pay for these units: 0 before the first charge. */
  largest(units: PricedUnits | undefined): number {
    return this.#sums.largest(units);
  }

  /** What a request may cost: its price in USD, or what such requests have been charged above it. */
  expected(price: number, units: PricedUnits | undefined): number {
    return Math.max(toNano(price), this.largest(units));
  }

  learn(units: PricedUnits, usd: number): void {
    this.#sums.learn(units, toNano(usd));
  }

  /** Reserves an amount for a request. `units` is what it pays for, if that is known now. */
  hold({ holder, id }: ReservedRequest, nanoUsd: number, units?: PricedUnits): void {
    hold(this.#holders, holder, id, nanoUsd);
    this.#sums.set(holder, amountOf(this.#holders.get(holder)), units);
  }

  heldBy({ holder, id }: ReservedRequest): number | undefined {
    return this.#holders.get(holder)?.requests.get(id);
  }

  /** Ends the part of a request. */
  settle(request: ReservedRequest, money: Verdict['money']): void {
    const { holder, id } = request;
    const body = request.bodyOf();
    if (!this.#holders.has(holder)) return;
    settle(this.#holders, holder, { request: id, body, money });
    const held = this.#holders.get(holder);
    if (held === undefined) this.#sums.delete(holder);
    else this.#sums.set(holder, amountOf(held));
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
  /** Whether a limit covers the request, although nothing is known about its price, and no charge is reported. */
  #isUnpriced = false;
  /** Whether the request has failed. What remains of it is about to find its signal aborted. */
  #hasLeft = false;
  #price: number | undefined;
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
  waitForTurn(price: number | undefined, isSending: boolean): Promise<void> | undefined {
    if (price !== undefined || this.#hasLeft || this.#isReserved || this.#request.isFree()) {
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
   * Reserves the price of the request, and at least what such requests have cost; or, before it is sent, the largest
   * charge of its route so far if `price` is undefined. Returns the shortfall if the limit does not cover it.
   */
  reserve(
    { nanoUsd: limit, policy }: Limit,
    price: number | undefined,
    stage: Stage,
  ): Shortfall | undefined {
    const all = this.#all;
    const request = this.#request;
    // While it was queueing, others may have cost more than they had reserved.
    if (this.#hasLeft || (this.#isReserved && stage !== 'sending') || request.isFree()) {
      return undefined;
    }
    const { spent, estimated } = all.committed;
    const reserved = estimated + all.total - all.amountFor(request.holder);
    if (price !== this.#price) {
      this.#units = price === undefined ? undefined : request.unitsOf(price);
    }
    this.#price = price;
    const known = price === undefined ? undefined : all.expected(price, this.#units);
    const basis = known === undefined ? 'unknown' : 'price';
    const next = { nanoUsd: known ?? 0, basis } as const;
    if (decideLimit(policy, { limit, committed: spent + reserved, next }) !== 'held') {
      return { spent, reserved, price: known };
    }
    // The price of a chat is known only afterwards. Once it is sent, it may cost as much as any chat before.
    const usual = stage === 'queueing' ? 0 : all.largest(this.#ofRoute);
    this.#isUnpriced = known === undefined && usual === 0;
    if (this.#isUnpriced) return undefined;
    const amount = known ?? usual;
    if (amount > (all.heldBy(request) ?? -1)) all.hold(request, amount, this.#units);
    this.#isReserved = true;
    return undefined;
  }

  /** Takes note of a charge in USD that a response reports, before its body was read and `charge` ends the request. */
  note(usd: number): void {
    this.#learnFrom(usd);
    const nanoUsd = toNano(usd);
    if (this.#isReserved && nanoUsd > this.#all.amountFor(this.#request.holder)) {
      this.#all.hold(this.#request, nanoUsd);
    }
  }

  /** Ends a request that has failed. What may have been charged stays reserved. */
  leave(money: Verdict['money']): void {
    const all = this.#all;
    this.#hasLeft = true;
    all.turns.leave(this.#request.route, this.#request.id);
    const isUncharged = isUnpaid({ money });
    // As soon as a charge of its route is known, it counts as much.
    if (this.#isUnpriced && !isUncharged) {
      all.hold(this.#request, all.largest(this.#ofRoute), this.#ofRoute);
    }
    all.settle(this.#request, isUncharged ? money : 'unknown');
  }

  /** Ends the request, and learns what such requests cost. */
  charge(usd: number): void {
    this.#all.turns.answer(this.#request.route);
    this.#isUnpriced = false;
    this.#all.settle(this.#request, 'charged');
    this.#all.learn(this.#ofRoute, usd);
    this.#learnFrom(usd);
  }

  /**
   * Ends a request that has succeeded without a reported charge. Returns what it has reserved, and at least `price`
   * or, if that is undefined, the largest charge of its route. A replay without a charge does not show the price of
   * the next request.
   */
  accept(price: number | undefined, replay: boolean): number {
    const { route, id, holder } = this.#request;
    if (replay) this.#all.turns.leave(route, id);
    else this.#all.turns.answer(route);
    this.#isUnpriced = false;
    const usual = price === undefined ? this.#all.largest(this.#ofRoute) : toNano(price);
    const kept = Math.max(this.#all.amountFor(holder), usual);
    this.#all.settle(this.#request, 'accepted');
    return kept;
  }

  /** Learns what such requests cost, if this one has cost more than its price. */
  #learnFrom(usd: number): void {
    if (this.#units && usd > (this.#price ?? 0)) this.#all.learn(this.#units, usd);
  }
}

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

/** The reservations of one client or process: what limits compare with the amounts that are spent. */
export type Reservations = ReturnType<typeof createReservations>;

/** The reservation of one request. */
export type Reservation = ReturnType<Reservations['open']>;

/** Creates empty reservations. `committed` returns what is spent, and the estimates that count. */
export function createReservations(
  committed: () => { readonly spent: number; readonly estimated: number },
) {
  const holders: Holders = new Map();
  const sums = new ReservedSums<string>();
  const turns = new RouteTurns();

  const amountFor = (holder: string) => sums.amountOf(holder);

  /** Changes what a holder has reserved. `units` is what it pays for, if that is known now. */
  function change(holder: string, apply: () => void, units?: PricedUnits): void {
    apply();
    const held = holders.get(holder);
    if (held === undefined) sums.delete(holder);
    else sums.set(holder, amountOf(held), units);
  }

  /** What a request may cost: its price in USD, or what such requests have been charged above it. */
  function expected(price: number, units: PricedUnits | undefined): number {
    return Math.max(toNano(price), sums.largest(units));
  }

  return {
    /** Reserved for requests in flight and those that may have been charged, in billionths of a USD. */
    get total(): number {
      return sums.total;
    },

    amountFor,
    expected,

    /** Opens the reservation of one request. Nothing is reserved yet. Prices and charges are in USD. */
    open({ id, route, holder, bodyOf, unitsOf, isFree }: ReservedRequest) {
      const ofRoute = { priceClass: route, units: 1 };
      let isReserved = false;
      /** Whether a limit covers the request, although nothing is known about its price, and no charge is reported. */
      let isUnpriced = false;
      /** Whether the request has failed. What remains of it is about to find its signal aborted. */
      let hasLeft = false;
      let reservedPrice: number | undefined;
      let reservedUnits: PricedUnits | undefined;

      function holdNow(nanoUsd: number, units: PricedUnits | undefined): void {
        change(holder, () => hold(holders, holder, id, nanoUsd), units);
      }

      /** Learns what such requests cost, if this one has cost more than its price. */
      function learnFrom(usd: number): void {
        if (reservedUnits && usd > (reservedPrice ?? 0)) sums.learn(reservedUnits, toNano(usd));
      }

      function end(money: Verdict['money']): void {
        change(holder, () => settle(holders, holder, { request: id, body: bodyOf(), money }));
      }

      return {
        /**
         * If nothing is known about the price of the request, those of its route are sent one at a time until the first
         * one has a response: returns what to wait for before the next try, or undefined if it is the turn of this request.
         */
        waitForTurn(price: number | undefined): Promise<void> | undefined {
          if (price !== undefined || hasLeft || isReserved || isFree()) return undefined;
          return turns.wait(route, id);
        },

        /** The hooks of the request run, and may send others of its route. It waits for its turn again before it is sent. */
        pauseTurn: () => turns.pause(route, id),

        /**
         * Reserves the price of the request, and at least what such requests have cost; or, before it is sent, the largest
         * charge of its route so far if `price` is undefined. Returns the shortfall if the limit does not cover it.
         */
        reserve(
          { nanoUsd: limit, policy }: Limit,
          price: number | undefined,
          stage: Stage,
        ): Shortfall | undefined {
          // While it was queueing, others may have cost more than they had reserved.
          if (hasLeft || (isReserved && stage !== 'sending') || isFree()) return undefined;
          const { spent, estimated } = committed();
          const reserved = estimated + sums.total - amountFor(holder);
          if (price !== reservedPrice)
            reservedUnits = price === undefined ? undefined : unitsOf(price);
          reservedPrice = price;
          const units = reservedUnits;
          const known = price === undefined ? undefined : expected(price, units);
          const basis = known === undefined ? 'unknown' : 'price';
          const next = { nanoUsd: known ?? 0, basis } as const;
          if (decideLimit(policy, { limit, committed: spent + reserved, next }) !== 'held') {
            return { spent, reserved, price: known };
          }
          // The price of a chat is known only afterwards. Once it is sent, it may cost as much as any chat before.
          const usual = stage === 'queueing' ? 0 : sums.largest(ofRoute);
          isUnpriced = known === undefined && usual === 0;
          if (isUnpriced) return undefined;
          const held = holders.get(holder)?.requests.get(id) ?? -1;
          if ((known ?? usual) > held) holdNow(known ?? usual, units);
          isReserved = true;
          return undefined;
        },

        /** Takes note of a charge in USD that a response reports, before its body was read and `charge` ends the request. */
        note(usd: number): void {
          learnFrom(usd);
          if (isReserved && toNano(usd) > amountFor(holder)) holdNow(toNano(usd), undefined);
        },

        /** Ends a request that has failed. What may have been charged stays reserved. */
        leave(money: Verdict['money']): void {
          hasLeft = true;
          turns.leave(route, id);
          const isUncharged = isUnpaid({ money });
          // As soon as a charge of its route is known, it counts as much.
          if (isUnpriced && !isUncharged) holdNow(sums.largest(ofRoute), ofRoute);
          end(isUncharged ? money : 'unknown');
        },

        /** Ends a request that was charged, and learns what such requests cost. */
        charge(usd: number): void {
          turns.answer(route);
          isUnpriced = false;
          end('charged');
          sums.learn(ofRoute, toNano(usd));
          learnFrom(usd);
        },

        /**
         * Ends a request that has succeeded without a reported charge. Returns what it has reserved, and at least `price`
         * or, if that is undefined, the largest charge of its route. A replay without a charge does not show the price of
         * the next request.
         */
        accept(price: number | undefined, replay: boolean): number {
          if (replay) turns.leave(route, id);
          else turns.answer(route);
          isUnpriced = false;
          const usual = price === undefined ? sums.largest(ofRoute) : toNano(price);
          const kept = Math.max(amountFor(holder), usual);
          end('accepted');
          return kept;
        },
      };
    },
  };
}

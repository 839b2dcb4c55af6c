import { PolygateError } from '../../errors/base.ts';
import { verdictOfError } from '../../paid/verdict.ts';
import type { Charge, ModelSpend, Spend, ResponseMeta } from '../../wire/types/meta.ts';
import { notify } from '../config/log.ts';
import type { Log } from '../config/log.ts';
import type { Budget } from '../config/options.ts';
import { checkValue, functionValue } from '../config/validation.ts';
import { fitsBudget, LargestCharges, reportedCharge, roundUsd } from './budget.ts';
import type { Commitments, PaidCall, Shortfall, Stage } from './budget.ts';
import { RouteTurns } from './route-turns.ts';

/** What one paid call does with the ledger: it reserves its price, and ends with its charge or without one. */
export interface Reservation {
  /**
   * If nothing is known about the price of the call, calls of its route are sent one at a time until the first one has
   * a response: returns what to wait for before the next try, or undefined if it is the turn of this call.
   */
  waitForTurn(price: number | undefined): Promise<void> | undefined;
  /**
   * Reserves the price of the call, and at least what such calls have cost; or, before it is sent, the highest price of its
   * route so far if `price` is undefined. Returns the shortfall if the budget does not cover the call.
   */
  reserve(budget: Budget, price: number | undefined, stage: Stage): Shortfall | undefined;
  /** Ends the part of a failed call. What may have been charged stays reserved. */
  leave(error: unknown): void;
  /**
   * Ends the reservation and records the charge that a response reports; returns undefined if it reports none. A replay of
   * a recorded key costs nothing. A replay whose original response was lost is recorded now, and the original costs nothing
   * if it still arrives.
   */
  charge(usd: number | undefined, meta: ChargeMeta): Charge | undefined;
  /**
   * Like `charge`, for a request that has succeeded. Without a `reportedCharge`, the estimate stays reserved until a
   * replay reports the charge: what was reserved, and at least `estimate()` or, if that is undefined, the largest
   * charge of the route so far. A replay of a key that counts already adds nothing.
   */
  succeed(
    usd: number | undefined,
    estimate: () => number | undefined,
    meta: ChargeMeta,
  ): Charge | undefined;
}

/** The parts of a response's metadata that describe its charge. */
type ChargeMeta = Pick<ResponseMeta, 'requestId' | 'taskId' | 'idempotentReplay'>;

/** Number of idempotency keys to remember, to recognize replays of charges that are already recorded. */
const maxRememberedKeys = 10_000;

/** Money set aside for the calls of one owner, of which at most one is charged. */
interface Reserved {
  usd: number;
  /** The calls in progress, and the bodies of those with an unknown outcome. */
  readonly holders: Set<unknown>;
  /** The route of a lost call, if nothing was known about its price yet: it counts as much as the first charge. */
  readonly unpricedRoute?: string | undefined;
}

/**
 * How a key counts: with its charge, from the original response or from a replay that came before it; or with an estimate
 * in USD, because no response has reported a charge.
 */
type CountedAs = 'original' | 'replay' | number;

/** A key that counts. */
interface CountedKey {
  readonly as: CountedAs;
  /** The body that was charged; undefined if it is not known. */
  readonly body: string | undefined;
  /** Whether the service has charged it again, so that it no longer protects from a second charge. */
  readonly isForgotten: boolean;
}

/** Tracks reported charges and budget reservations. */
export type Ledger = ReturnType<typeof createLedger>;

/** Creates an empty ledger. */
export function createLedger() {
  const byModel = new Map<string, ModelSpend>();
  const keys = new Map<unknown, CountedKey>();
  const reservations = new Map<unknown, Reserved>();
  /** The sum of all reservations and of all estimates that count. */
  let reservedUsd = 0;
  const listeners = new Set<() => void>();
  /** The largest charge so far, by route. */
  const largest = new Map<string, number>();
  /** The largest charges that were above the price of their call. */
  const aboveList = new LargestCharges();
  const turns = new RouteTurns();
  let totalUsd = 0;
  let requests = 0;

  function add(model: string, usd: number): void {
    totalUsd = roundUsd(totalUsd + usd);
    requests += 1;
    const before = byModel.get(model) ?? { usd: 0, requests: 0 };
    byModel.set(model, { usd: roundUsd(before.usd + usd), requests: before.requests + 1 });
  }

  function reservedFor(owner: unknown): number {
    return reservations.get(owner)?.usd ?? 0;
  }

  function setReservation(owner: unknown, reservation: Reserved | undefined): void {
    addReserved((reservation?.usd ?? 0) - reservedFor(owner));
    if (reservation) reservations.set(owner, reservation);
    else reservations.delete(owner);
  }

  function addReserved(usd: number): void {
    reservedUsd = roundUsd(reservedUsd + usd);
  }

  function rememberKey(key: string | undefined, counted: CountedKey): void {
    if (key === undefined) return;
    keys.set(key, counted);
    const [oldest] = keys.keys();
    if (keys.size > maxRememberedKeys) keys.delete(oldest);
  }

  function learn(route: string, usd: number): void {
    const before = largest.get(route) ?? 0;
    largest.set(route, Math.max(before, usd));
    if (before > 0 || usd <= 0) return;
    for (const [owner, { unpricedRoute, ...reserved }] of reservations) {
      if (unpricedRoute === route)
        setReservation(owner, { ...reserved, usd: Math.max(reserved.usd, usd) });
    }
  }

  /** The live view behind `gateway.spend`. */
  const view: Spend = {
    get totalUsd() {
      return totalUsd;
    },
    get requests() {
      return requests;
    },
    byModel,
  };

  return {
    view,

    /** What is spent, and what is reserved for calls in progress and those that may have been charged. */
    get commitments(): Commitments {
      return { spent: totalUsd, reserved: reservedUsd };
    },

    /** Calls `listener` with the live view after each charge. Returns a function that stops it. */
    listen(listener: (spend: Spend) => void, log: Log): () => void {
      checkValue('onSpend', listener, functionValue);
      // A new function, so that two registrations of one listener are independent.
      const own = () => notify(log, listener, view, 'onSpend');
      listeners.add(own);
      return () => void listeners.delete(own);
    },

    /** Opens the part of one call in the ledger. Nothing is reserved yet. */
    open({ route, model, key, safety, readBody, readUnits }: PaidCall): Reservation {
      /** This call, among those that share a reservation. */
      const call = {};
      const isKeyed = safety === 'keyed' && key !== undefined;
      // A call that is charged each time shares its owner with no other. After an unknown outcome, the ledger keeps the owner, and
      // must not keep the request with it.
      const owner = isKeyed ? key : {};
      let isReserved = false;
      /** Whether a budget covers the call, although nothing is known about its price, and no charge is reported. */
      let isUnpriced = false;
      /** Whether the call has failed. What remains of it is about to find its signal aborted. */
      let hasLeft = false;
      let reservedPrice: number | undefined;
      let body: string | undefined;

      /** Whether the call costs nothing, because its key was charged for its body, and is still replayed. */
      function isFree(): boolean {
        const counted = isKeyed ? keys.get(key) : undefined;
        if (counted === undefined || counted.isForgotten) return false;
        return counted.body === undefined || counted.body === (body ??= readBody());
      }

      /** Reserves an amount, which the call shares with others of its key. */
      function hold(usd: number, unpricedRoute?: string): void {
        const { holders = new Set() } = reservations.get(owner) ?? {};
        if (isKeyed) body ??= readBody();
        holders.add(call);
        setReservation(owner, { usd: Math.max(reservedFor(owner), usd), holders, unpricedRoute });
      }

      /** A listed price per unit is that of one class, such as a resolution. */
      const classOf = (units: number, price: number) => ({
        priceClass: `${route} ${model} ${roundUsd(price / units)}`,
        units,
      });

      return {
        waitForTurn(price) {
          if (price !== undefined || hasLeft || isReserved || isFree()) return undefined;
          return turns.wait(route, call);
        },

        reserve(budget, price, stage) {
          // While it was queueing, others may have cost more than they had reserved.
          if (hasLeft || (isReserved && stage !== 'sending') || isFree()) return undefined;
          const own = reservedFor(owner);
          const units = readUnits();
          const learned = units && price !== undefined ? aboveList.of(classOf(units, price)) : 0;
          const expected = price === undefined ? undefined : Math.max(price, learned);
          const commitments = { spent: totalUsd, reserved: roundUsd(reservedUsd - own) };
          if (!fitsBudget(budget, commitments, expected))
            return { ...commitments, price: expected };
          // The price of a chat is known only afterwards. Once it is sent, it may cost as much as any chat before.
          const usd = expected ?? (stage === 'queueing' ? undefined : largest.get(route));
          isUnpriced = usd === undefined;
          if (usd === undefined) return undefined;
          hold(usd);
          isReserved = true;
          reservedPrice = price;
          return undefined;
        },

        leave(error) {
          hasLeft = true;
          turns.leave(route, call);
          const mayBeCharged = !PolygateError.is(error) || error.outcome === 'unknown';
          if (isUnpriced && mayBeCharged) hold(largest.get(route) ?? 0, route);
          const holders = reservations.get(owner)?.holders;
          if (!holders?.delete(call)) return;
          if (mayBeCharged) holders.add(body);
          // An earlier call with the key may have been charged. Only if the request itself is invalid, it was not.
          if (verdictOfError(error)?.money === 'void') holders.delete(body);
          if (holders.size === 0) setReservation(owner, undefined);
        },

        charge(usd, { requestId, taskId, idempotentReplay: replay }) {
          if (usd === undefined) return undefined;
          const charge = { usd: 0, model, route, requestId, taskId, replay };
          if (reportedCharge(usd, replay) === undefined) return charge;
          turns.answer(route);
          isUnpriced = false;
          const counted = keys.get(key);
          const countedAs = counted?.as;
          setReservation(owner, undefined);
          // The charge replaces the estimate of its key. With a fallback, an original response may be that of another model.
          if (typeof countedAs === 'number' && (replay || owner === key)) addReserved(-countedAs);
          learn(route, usd);
          if (reservedPrice !== undefined && usd > reservedPrice) {
            const units = readUnits();
            if (units) aboveList.add(classOf(units, reservedPrice), usd);
          }
          rememberKey(key, {
            as: replay && countedAs !== 'original' ? 'replay' : 'original',
            body: replay && counted ? counted.body : body,
            isForgotten: counted?.isForgotten === true || (!replay && countedAs === 'original'),
          });
          if (replay ? typeof countedAs === 'string' : countedAs === 'replay') return charge;
          add(model ?? '', usd);
          for (const listener of listeners) listener();
          return { ...charge, usd };
        },

        succeed(usd, estimate, meta) {
          const { idempotentReplay: replay } = meta;
          const isReported = reportedCharge(usd, replay) !== undefined;
          // A replay without a charge does not show the price of the next call.
          if (isReported || !replay) turns.answer(route);
          else turns.leave(route, call);
          isUnpriced = false;
          if (!isReported) {
            const kept = Math.max(reservedFor(owner), estimate() ?? largest.get(route) ?? 0);
            setReservation(owner, undefined);
            if (!keys.has(replay ? key : owner)) {
              addReserved(kept);
              rememberKey(key, { as: kept, body, isForgotten: false });
            }
          }
          return this.charge(usd, meta);
        },
      };
    },
  };
}

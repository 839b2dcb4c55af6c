import type { PolygateError } from '../../errors/base.ts';
import { APIError } from '../../errors/responses.ts';
import type { Safety } from '../../wire/endpoints/endpoint.ts';
import type { Charge, ModelSpend, Spend, ResponseMeta } from '../../wire/types/meta.ts';
import { notify } from '../config/log.ts';
import type { Log } from '../config/log.ts';
import type { Budget } from '../config/options.ts';
import { checkValue, functionValue } from '../config/validation.ts';
import { fitsBudget } from './budget.ts';
import type { Commitments } from './budget.ts';
import { isInvalidRequest } from './invalid-request.ts';
import { reportedCharge } from './reported-charge.ts';
import { roundUsd } from './round-usd.ts';

/** A paid call, as the ledger knows it. */
export interface PaidCall {
  readonly route: string;
  readonly model: string | undefined;
  /** Identifies the charge: calls with the same key are charged once. */
  readonly key: string | undefined;
  /** Calls that are `keyed` are charged once per key, so those with the same key share a reservation. */
  readonly safety: Safety;
  /** Whether all calls with the key send the same body, as far as this one knows. */
  readonly hasOneBody: boolean;
}

/** What one paid call does with the ledger: it reserves its price, and ends with its charge or without one. */
export interface Reservation {
  /**
   * Reserves the price of the call, or the highest price of its route so far if `price` is undefined and `isNext`: it is
   * about to be sent. Returns what is committed already if the budget does not cover the call.
   */
  reserve(budget: Budget, price: number | undefined, isNext: boolean): Commitments | undefined;
  /** Ends the part of a failed call. What may have been charged stays reserved. */
  leave(error: PolygateError): void;
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
  /** The calls in progress and, after one with an unknown outcome, the owner itself. */
  readonly holders: Set<unknown>;
}

/**
 * How a key counts: with its charge, from the original response or from a replay that came before it; or with an estimate
 * in USD, because no response has reported a charge.
 */
type CountedAs = 'original' | 'replay' | number;

/** Tracks reported charges and budget reservations. */
export type Ledger = ReturnType<typeof createLedger>;

/** Creates an empty ledger. */
export function createLedger() {
  const byModel = new Map<string, ModelSpend>();
  const keys = new Map<unknown, CountedAs>();
  const reservations = new Map<unknown, Reserved>();
  /** The sum of all reservations and of all estimates that count. */
  let reservedUsd = 0;
  const listeners = new Set<() => void>();
  /** The largest charge so far, by route. */
  const largest = new Map<string, number>();
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

  function rememberKey(key: string | undefined, countedAs: CountedAs): void {
    if (key === undefined) return;
    keys.set(key, countedAs);
    const [oldest] = keys.keys();
    if (keys.size > maxRememberedKeys) keys.delete(oldest);
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
    open({ route, model, key, safety, hasOneBody }: PaidCall): Reservation {
      /** This call, among those that share a reservation. */
      const call = {};
      // A call that is charged each time shares its owner with no other. After an unknown outcome, the ledger keeps the owner, and
      // must not keep the request with it.
      const owner = safety === 'keyed' ? key : {};
      let isReserved = false;
      return {
        reserve(budget, price, isNext) {
          if (isReserved || keys.has(owner)) return undefined;
          const { usd: own = 0, holders = new Set() } = reservations.get(owner) ?? {};
          const commitments = { spent: totalUsd, reserved: roundUsd(reservedUsd - own) };
          if (!fitsBudget(budget, commitments, price)) return commitments;
          // The price of a chat is known only afterwards. Once it is sent, it may cost as much as any chat before.
          const usd = price ?? (isNext ? largest.get(route) : undefined);
          if (usd === undefined) return undefined;
          holders.add(call);
          setReservation(owner, { usd: Math.max(own, usd), holders });
          isReserved = true;
          return undefined;
        },

        leave(error) {
          const holders = reservations.get(owner)?.holders;
          if (!holders?.delete(call)) return;
          if (error.outcome === 'unknown') holders.add(owner);
          // An earlier call with the key may have been charged. Only if the request itself is invalid, it was not.
          const isInvalid = APIError.is(error) && isInvalidRequest(error);
          if (hasOneBody && isInvalid) holders.delete(owner);
          if (holders.size === 0) setReservation(owner, undefined);
        },

        charge(usd, { requestId, taskId, idempotentReplay: replay }) {
          if (usd === undefined) return undefined;
          const charge = { usd: 0, model, route, requestId, taskId, replay };
          if (reportedCharge(usd, replay) === undefined) return charge;
          const countedAs = keys.get(key);
          setReservation(owner, undefined);
          // The charge replaces the estimate of its key. With a fallback, an original response may be that of another model.
          if (typeof countedAs === 'number' && (replay || owner === key)) addReserved(-countedAs);
          largest.set(route, Math.max(largest.get(route) ?? 0, usd));
          rememberKey(key, replay && countedAs !== 'original' ? 'replay' : 'original');
          if (replay ? typeof countedAs === 'string' : countedAs === 'replay') return charge;
          add(model ?? '', usd);
          for (const listener of listeners) listener();
          return { ...charge, usd };
        },

        succeed(usd, estimate, meta) {
          const { idempotentReplay: replay } = meta;
          if (reportedCharge(usd, replay) === undefined) {
            const kept = Math.max(reservedFor(owner), estimate() ?? largest.get(route) ?? 0);
            setReservation(owner, undefined);
            if (!keys.has(replay ? key : owner)) {
              addReserved(kept);
              rememberKey(key, kept);
            }
          }
          return this.charge(usd, meta);
        },
      };
    },
  };
}

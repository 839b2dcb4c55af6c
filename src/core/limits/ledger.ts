import type { Outcome } from '../../errors/base.ts';
import type { Charge, ModelSpend, Spend } from '../../types/charge.ts';
import type { ResponseMeta } from '../../types/meta.ts';
import type { Commitments } from './budget.ts';
import { roundUsd } from './round-usd.ts';

/** A paid request whose response has arrived. */
export interface PaidRequest {
  route: string;
  model: string | undefined;
  /** Identifies the charge: requests with the same key are charged once. */
  key: string | undefined;
}

/** The parts of a response's metadata that describe its charge. */
type ChargeMeta = Pick<ResponseMeta, 'chargeUsd' | 'requestId' | 'taskId' | 'idempotentReplay'>;

/** Number of idempotency keys to remember, to recognize replays of charges that are already recorded. */
const maxRememberedKeys = 10_000;

/** Money set aside for the requests of one owner, of which at most one is charged. */
interface Reservation {
  usd: number;
  /** The requests in progress. After one with an unknown outcome, also the owner itself. */
  readonly holders: Set<unknown>;
}

/** Tracks reported charges and budget reservations. */
export type Ledger = ReturnType<typeof createLedger>;

/** Creates an empty ledger. */
export function createLedger() {
  const byModel = new Map<string, ModelSpend>();
  /** Keys whose charge is recorded. True if it was recorded from a replay, before the original response arrived. */
  const keys = new Map<unknown, boolean>();
  const reservations = new Map<unknown, Reservation>();
  /** The sum of all reservations. */
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

  function setReservation(owner: unknown, reservation: Reservation | undefined): void {
    reservedUsd = roundUsd(
      reservedUsd - (reservations.get(owner)?.usd ?? 0) + (reservation?.usd ?? 0),
    );
    if (reservation) reservations.set(owner, reservation);
    else reservations.delete(owner);
  }

  function rememberKey(key: string, fromReplay: boolean): void {
    keys.set(key, fromReplay);
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

    /** Calls `listener`, which must not throw, after each charge. Returns a function that stops it. */
    listen(listener: () => void): () => void {
      // A function of its own, so that two registrations of one listener are independent.
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },

    /**
     * What is spent, and what is reserved by other owners. An owner is an idempotency key, or a call that is charged each
     * time it is sent.
     */
    commitments(owner: unknown): Commitments {
      const own = reservations.get(owner)?.usd ?? 0;
      return { spent: totalUsd, reserved: roundUsd(reservedUsd - own) };
    },

    /** Whether a charge under this key is recorded, so that a retry with it is free. */
    hasCharge: (key: unknown): boolean => keys.has(key),

    /** The largest charge of a route so far: what another request may cost if its price is not known. */
    largestCharge: (route: string): number | undefined => largest.get(route),

    /** Reserves a price for a call. Calls of the same owner share one reservation. */
    reserve(owner: unknown, call: object, usd: number): void {
      const { usd: before = 0, holders = new Set() } = reservations.get(owner) ?? {};
      holders.add(call);
      setReservation(owner, { usd: Math.max(before, usd), holders });
    },

    /** Ends the reservation of an owner that has been charged. */
    releaseReservation(owner: unknown): void {
      setReservation(owner, undefined);
    },

    /**
     * Ends the part of a failed call in a reservation, which remains while other calls share it. After an unknown
     * outcome, it also remains until a later call of the same owner is charged, or shows that the request is invalid.
     */
    leaveReservation(owner: unknown, call: object, outcome: Outcome | undefined): void {
      const holders = reservations.get(owner)?.holders;
      if (!holders?.delete(call)) return;
      if (outcome === 'unknown') holders.add(owner);
      if (outcome === 'rejected') holders.delete(owner);
      if (holders.size === 0) setReservation(owner, undefined);
    },

    /**
     * Records the charge that a response reports; returns undefined if it reports none. A replay of a recorded key costs
     * nothing. A replay whose original response was lost is recorded now, and the original costs nothing if it still
     * arrives.
     */
    record({ route, model, key }: PaidRequest, meta: ChargeMeta): Charge | undefined {
      if (meta.chargeUsd === undefined) return undefined;
      const { requestId, taskId, idempotentReplay: replay } = meta;
      const recordedFromReplay = keys.get(key);
      largest.set(route, Math.max(largest.get(route) ?? 0, meta.chargeUsd));
      const isRecorded = replay ? recordedFromReplay !== undefined : recordedFromReplay === true;
      const usd = isRecorded ? 0 : meta.chargeUsd;
      if (!isRecorded) add(model ?? '', usd);
      if (key !== undefined) rememberKey(key, replay && recordedFromReplay !== false);
      if (!isRecorded) for (const listener of listeners) listener();
      return { usd, model, route, requestId, taskId, replay };
    },
  };
}

import { toNano, toUsd } from '../../paid/amounts.ts';
import { Books } from '../../paid/books.ts';
import type { Claim } from '../../paid/books.ts';
import type { Reservation, Reservations } from '../../paid/reservations.ts';
import type { Verdict } from '../../paid/verdict.ts';
import type { Charge, ModelSpend, ResponseMeta, Spend } from '../../wire/types/meta.ts';
import { notify } from '../config/log.ts';
import type { Log } from '../config/log.ts';
import { checkValue, functionValue } from '../config/validation.ts';

/** What one paid call does with the ledger: it ends with its charge or without one. */
export interface LedgerEntry {
  /** What a budget reserves for it; undefined without one. */
  readonly reservation: Reservation | undefined;
  /**
   * Ends the reservation, and records the charge that a response reports or the estimate that counts instead. Returns
   * undefined if no charge is reported. After an error that reports none, the reservation decides what stays reserved.
   */
  record(
    verdict: Verdict,
    estimate: () => number | undefined,
    meta: ChargeMeta,
  ): Charge | undefined;
}

/** The parts of a response's metadata that describe its charge. */
type ChargeMeta = Pick<ResponseMeta, 'requestId' | 'taskId' | 'chargeUsd'>;

/** Tracks reported charges and budget reservations. */
export type Ledger = ReturnType<typeof createLedger>;

/** Creates an empty ledger. */
export function createLedger() {
  const books = new Books();
  const byModel = new Map<string, ModelSpend>();
  const listeners = new Set<() => void>();
  let requests = 0;

  function add(model: string, usd: number): void {
    requests += 1;
    const before = byModel.get(model) ?? { usd: 0, requests: 0 };
    const sum = toUsd(toNano(before.usd) + toNano(usd));
    byModel.set(model, { usd: sum, requests: before.requests + 1 });
    for (const listener of listeners) listener();
  }

  /** The live view behind `gateway.spend`. */
  const view: Spend = {
    get totalUsd() {
      return toUsd(books.spent);
    },
    get requests() {
      return requests;
    },
    byModel,
  };

  return {
    view,

    /** What is reserved for calls in progress and those that may have been charged, in USD. */
    get reservedUsd(): number {
      return toUsd(books.reserved);
    },

    /** Calls `listener` with the live view after each charge. Returns a function that stops it. */
    listen(listener: (spend: Spend) => void, log: Log): () => void {
      checkValue('onSpend', listener, functionValue);
      // A new function, so that two registrations of one listener are independent.
      const own = () => notify(log, listener, view, 'onSpend');
      listeners.add(own);
      return () => void listeners.delete(own);
    },

    /** Reserves the calls that are opened from now on, so that a budget can cover them. */
    useLimits: (limits: typeof Reservations) => void books.useLimits(limits),

    /** Opens the part of one call in the ledger. Nothing is reserved yet. */
    open(claim: Claim, model: string | undefined): LedgerEntry {
      const { route } = claim;
      const entry = books.open(claim);
      const { reservation } = entry;
      return {
        reservation,

        record(verdict, estimate, { requestId, taskId, chargeUsd }) {
          const { money, replay } = verdict;
          const details = { model, route, requestId, taskId, replay, usd: 0 };
          if (money === 'accepted') {
            entry.accept(estimate, replay);
            return chargeUsd === undefined ? undefined : details;
          }
          if (money !== 'charged') return undefined;
          const { usd } = verdict;
          if (!entry.charge(usd, replay)) return details;
          add(model ?? '', usd);
          return { ...details, usd };
        },
      };
    },
  };
}

import { BudgetExceededError } from '../../../errors/budget.ts';
import { roundUsd } from '../../limits/round-usd.ts';
import { addCost, noCost } from '../journal/row-cost.ts';
import type { RowCost } from '../journal/row-cost.ts';
import {
  isUnpriced,
  nextReservation,
  reservationFor,
  reservationProblem,
  unpricedUsd,
} from './budget-decision.ts';
import type { Reservation, ReservationState } from './budget-decision.ts';
import { Changes } from './changes.ts';

/** A row, as its budget sees it. */
export interface Spender {
  readonly cost: RowCost;
  /** What is set aside for the submission in progress. It is part of the estimates of the row. */
  readonly reservation: Reservation | undefined;
  addCost(change: Partial<RowCost>): void;
  beginReservation(reservation: Reservation): void;
  endReservation(): void;
}

/** A submission that needs a part of the budget. */
interface Purchase {
  /** Estimated price in USD; undefined if it is not known. */
  readonly price: number | undefined;
  /** Path of the endpoint: requests to it have similar prices. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Number of unpriced submissions of earlier runs that it repeats under their key: together, they are charged once. */
  readonly repeats: number;
}

/** What earlier runs have spent on a row. */
interface EarlierCost {
  readonly cost: RowCost;
  readonly path: string;
  /** Number of its submissions that were or may have been charged, and of which neither charge nor price is known. */
  readonly unpriced: number;
}

/** The budget of a batch, over all runs of its journal. Also adds up its costs if there is no limit. */
export class BatchBudget {
  readonly #maxUsd: number;
  #total: RowCost = noCost;
  /** The largest charge so far, by path: what a request may cost if its price is not known. */
  readonly #largest = new Map<string, number>();
  /** Number of submissions that were or may have been charged, and of which neither charge nor price is known, by path. */
  readonly #unpriced = new Map<string, number>();
  /** Number of submissions with a reservation. */
  #inFlight = 0;
  /** The ends of reservations. */
  readonly #changes = new Changes();

  constructor(maxUsd = Infinity) {
    this.#maxUsd = roundUsd(maxUsd);
  }

  /** The costs of all rows in all runs. Unpriced submissions may have cost as much as any other. */
  get total(): RowCost {
    return addCost(this.#total, { estimatedUsd: unpricedUsd(this.#unpriced, this.#largest) });
  }

  /** Adds what earlier runs have spent on a row. */
  addEarlier({ cost, path, unpriced }: EarlierCost): void {
    this.#total = addCost(this.#total, cost);
    if (cost.chargedUsd > 0) this.#recordCharge(path, cost.chargedUsd);
    if (unpriced > 0) this.#addUnpriced(path, unpriced);
  }

  /**
   * Reserves the price of a submission. If it does not fit, waits for the submissions that are in flight, whose charges may
   * be lower. Until the first charge is known, requests without a price are sent one at a time, and only while few of them
   * are unpriced.
   *
   * @throws {@link BudgetExceededError} when the remaining budget does not cover the price, or might not because the price is
   * unknown.
   */
  async reserve(row: Spender, purchase: Purchase): Promise<void> {
    const { path, signal, repeats } = purchase;
    for (;;) {
      const state = this.#stateFor(purchase);
      const decision = nextReservation(state);
      if (decision === 'reserve') {
        this.#addUnpriced(path, -repeats);
        this.#begin(row, state.next);
        return;
      }
      if (decision === 'exceeded') throw this.#exceeded(state);
      await this.#changes.next(signal);
      signal.throwIfAborted();
    }
  }

  #begin(row: Spender, reservation: Reservation): void {
    this.#inFlight += 1;
    row.beginReservation(reservation);
    this.#change(row, { estimatedUsd: reservation.usd });
  }

  #stateFor({ price, path, repeats }: Purchase): ReservationState {
    const { chargedUsd, estimatedUsd } = this.total;
    const repeated = Math.min(repeats, this.#unpricedAt(path));
    const repeatedUsd = repeated * this.#largestAt(path);
    return {
      maxUsd: this.#maxUsd,
      committedUsd: roundUsd(chargedUsd + estimatedUsd - repeatedUsd),
      next: reservationFor(price, this.#largest.get(path)),
      inFlight: this.#inFlight,
      unpriced: this.#unpricedAt(path) - repeated,
    };
  }

  /** Takes over the reservation of an earlier run, whose submission is sent again under its key. */
  adopt(row: Spender): void {
    this.#inFlight += 1;
    row.beginReservation({ usd: row.cost.estimatedUsd, basis: 'price' });
  }

  /** Replaces the reservation of a row with its charge. */
  charge(row: Spender, { path, usd }: { path: string; usd: number }): void {
    this.#recordCharge(path, usd);
    this.#change(row, { chargedUsd: usd, estimatedUsd: -(row.reservation?.usd ?? 0) });
    this.#end(row);
  }

  /** Ends the reservation of a row that was certainly not charged. */
  release(row: Spender): void {
    this.#change(row, { estimatedUsd: -(row.reservation?.usd ?? 0) });
    this.#end(row);
  }

  /**
   * Ends the reservation of a row that was or may have been charged, and whose charge is not known: it succeeded and the
   * service has reported none, or its outcome is unknown. The estimate still counts; without one, the row is unpriced.
   */
  keep(row: Spender, { path }: { path: string }): void {
    if (row.reservation && isUnpriced(row.reservation)) this.#addUnpriced(path, 1);
    this.#end(row);
  }

  #addUnpriced(path: string, count: number): void {
    this.#unpriced.set(path, Math.max(0, this.#unpricedAt(path) + count));
  }

  #unpricedAt(path: string): number {
    return this.#unpriced.get(path) ?? 0;
  }

  #largestAt(path: string): number {
    return this.#largest.get(path) ?? 0;
  }

  #end(row: Spender): void {
    if (row.reservation) this.#inFlight -= 1;
    row.endReservation();
    this.#changes.notify();
  }

  #recordCharge(path: string, usd: number): void {
    this.#largest.set(path, Math.max(this.#largestAt(path), usd));
  }

  #change(row: Spender, change: Partial<RowCost>): void {
    row.addCost(change);
    this.#total = addCost(this.#total, change);
  }

  #exceeded(state: ReservationState): BudgetExceededError {
    const { chargedUsd, estimatedUsd } = this.total;
    return new BudgetExceededError(
      `Budget of the batch exceeded: ${chargedUsd} of ${this.#maxUsd} USD spent, ` +
        `${estimatedUsd} USD reserved for rows that may have been charged; ${reservationProblem(state)}`,
      { outcome: 'not-sent', spentUsd: chargedUsd, maxUsd: this.#maxUsd },
    );
  }
}

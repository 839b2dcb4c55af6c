import { BudgetExceededError } from '../../../errors/budget.ts';
import { roundUsd } from '../../limits/round-usd.ts';
import { addCost, noCost } from '../journal/row-cost.ts';
import type { RowCost } from '../journal/row-cost.ts';
import { nextReservation, reservationProblem } from './budget-decision.ts';
import type { ReservationState } from './budget-decision.ts';
import { Changes } from './changes.ts';

/** A row, as its budget sees it. */
export interface Spender {
  cost: RowCost;
  /** The part of the estimates that belongs to the submission in progress; 0 if its price is not known. */
  reservedUsd?: number | undefined;
}

/** A submission that needs a part of the budget. */
interface Purchase {
  /** Estimated price in USD; undefined if it is not known. */
  readonly price: number | undefined;
  /** Path of the endpoint: requests to it have similar prices. */
  readonly path: string;
  readonly signal: AbortSignal;
}

/** What earlier runs have spent on a row. */
interface EarlierCost {
  readonly cost: RowCost;
  readonly path: string;
  /** Number of its submissions that may have been charged and for which no price was known. */
  readonly unpriced: number;
}

/** The budget of a batch, over all runs of its journal. Also adds up its costs if there is no limit. */
export class BatchBudget {
  readonly #maxUsd: number;
  #total: RowCost = noCost;
  /** The largest charge so far, by path: what a request may cost if its price is not known. */
  readonly #largest = new Map<string, number>();
  /** Number of submissions that may have been charged although no price was known for them, by path. */
  readonly #unpriced = new Map<string, number>();
  /** Number of submissions with a reservation. */
  #inFlight = 0;
  /** The ends of reservations. */
  readonly #changes = new Changes();

  constructor(maxUsd = Infinity) {
    this.#maxUsd = roundUsd(maxUsd);
  }

  /** The costs of all rows in all runs. Lost submissions without a price may have cost as much as any other. */
  get total(): RowCost {
    let unpricedUsd = 0;
    for (const [path, count] of this.#unpriced) {
      unpricedUsd += count * (this.#largest.get(path) ?? 0);
    }
    return addCost(this.#total, { estimatedUsd: unpricedUsd });
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
   * were lost.
   *
   * @throws {@link BudgetExceededError} when the remaining budget does not cover the price, or might not because the price is
   * unknown.
   */
  async reserve(row: Spender, purchase: Purchase): Promise<void> {
    const { signal } = purchase;
    for (;;) {
      const state = this.#stateFor(purchase);
      const next = nextReservation(state);
      if (next === 'reserve') return this.#begin(row, state.usd ?? 0);
      if (next === 'exceeded') throw this.#exceeded(state);
      await this.#changes.next(signal);
      signal.throwIfAborted();
    }
  }

  #begin(row: Spender, usd: number): void {
    this.#inFlight += 1;
    row.reservedUsd = usd;
    this.#change(row, { estimatedUsd: usd });
  }

  #stateFor({ price, path }: Purchase): ReservationState {
    const { chargedUsd, estimatedUsd } = this.total;
    return {
      maxUsd: this.#maxUsd,
      committedUsd: roundUsd(chargedUsd + estimatedUsd),
      usd: price ?? this.#largest.get(path),
      isPrice: price !== undefined,
      inFlight: this.#inFlight,
      unpriced: this.#unpricedAt(path),
    };
  }

  /** Takes over the reservation of an earlier run, whose submission is sent again under its key. */
  adopt(row: Spender): void {
    this.#inFlight += 1;
    row.reservedUsd = row.cost.estimatedUsd;
  }

  /** Replaces the reservation of a row with its charge. Without one, the estimate counts. */
  charge(row: Spender, { path, usd }: { path: string; usd: number | undefined }): void {
    const { reservedUsd = 0 } = row;
    this.#recordCharge(path, usd ?? reservedUsd);
    if (usd !== undefined) this.#change(row, { chargedUsd: usd, estimatedUsd: -reservedUsd });
    this.#end(row);
  }

  /** Ends the reservation of a row that was certainly not charged. */
  release(row: Spender): void {
    this.#change(row, { estimatedUsd: -(row.reservedUsd ?? 0) });
    this.#end(row);
  }

  /** Keeps the estimate of a row that may have been charged. `hasPrice`: an estimate of 0 is a price. */
  keep(row: Spender, { path, hasPrice }: { path: string; hasPrice: boolean }): void {
    if (row.reservedUsd === 0 && !hasPrice) this.#addUnpriced(path, 1);
    this.#end(row);
  }

  #addUnpriced(path: string, count: number): void {
    this.#unpriced.set(path, this.#unpricedAt(path) + count);
  }

  #unpricedAt(path: string): number {
    return this.#unpriced.get(path) ?? 0;
  }

  #end(row: Spender): void {
    if (row.reservedUsd !== undefined) this.#inFlight -= 1;
    row.reservedUsd = undefined;
    this.#changes.notify();
  }

  #recordCharge(path: string, usd: number): void {
    this.#largest.set(path, Math.max(this.#largest.get(path) ?? 0, usd));
  }

  #change(row: Spender, change: Partial<RowCost>): void {
    row.cost = addCost(row.cost, change);
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

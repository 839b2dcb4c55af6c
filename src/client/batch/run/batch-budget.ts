import { BudgetExceededError } from '../../../errors/call.ts';
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
import type { ReservationState, ReservedAmount } from './budget-decision.ts';
import { Changes } from './changes.ts';
import type { CountedCharge } from './counted-charge.ts';

/** A row, as its budget sees it. */
export interface Spender {
  readonly cost: RowCost;
  addCost(change: Partial<RowCost>): void;
}

/** What is set aside for a submission until it is settled. It is part of the estimates of its row. */
export interface ReservedPrice extends ReservedAmount {
  /** Path of the endpoint. */
  readonly path: string;
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
  /** Submissions that were settled. */
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
    // The sum, because the journal does not keep each charge of a chat that was resent. Too much is safer than
    // too little.
    if (cost.chargedUsd > 0) this.#recordCharge(path, cost.chargedUsd);
    if (unpriced > 0) this.#addUnpriced(path, unpriced);
  }

  /**
   * Reserves the price of a submission, which must be settled. If it does not fit, waits for the submissions that are
   * in flight, whose charges may be lower. Until the first charge is known, requests without a price are sent one at a
   * time, and only while few of them are unpriced.
   *
   * @throws {@link BudgetExceededError} when the remaining budget does not cover the price, or might not because the price is
   * unknown.
   */
  async reserve(row: Spender, purchase: Purchase): Promise<ReservedPrice> {
    const { path, signal, repeats } = purchase;
    for (;;) {
      const state = this.#stateFor(purchase);
      const decision = nextReservation(state);
      if (decision === 'reserve') {
        this.#addUnpriced(path, -repeats);
        this.#change(row, { estimatedUsd: state.next.usd });
        this.#inFlight += 1;
        return { ...state.next, path };
      }
      if (decision === 'exceeded') throw this.#exceeded(state);
      await this.#changes.next(signal);
      signal.throwIfAborted();
    }
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
  adopt({ cost }: Spender, path: string): ReservedPrice {
    this.#inFlight += 1;
    return { usd: cost.estimatedUsd, basis: 'price', path };
  }

  /** Ends the reservation of a submission. If it still counts, but has no amount, the submission is unpriced. */
  settle(row: Spender, reserved: ReservedPrice, counted: CountedCharge): void {
    const { path, usd } = reserved;
    this.#inFlight -= 1;
    switch (counted.counts) {
      case 'charge':
        this.#change(row, { chargedUsd: counted.usd, estimatedUsd: -usd });
        this.#recordCharge(path, counted.usd);
        break;
      case 'nothing':
        this.#change(row, { estimatedUsd: -usd });
        break;
      case 'reservation':
        if (isUnpriced(reserved)) this.#addUnpriced(path, 1);
    }
    this.#changes.notify();
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

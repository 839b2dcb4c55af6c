import { BudgetExceededError } from '../../errors/call.ts';
import { createError } from '../../errors/message.ts';
import { roundUsd } from '../limits/budget.ts';
import type { KnownPrices } from '../limits/prices.ts';
import {
  forPrograms,
  highestPrice,
  isUnpriced,
  nextReservation,
  reservationFor,
  reservationProblem,
  unpricedUsd,
} from './budget-decisions.ts';
import type { ReservationState, ReservedAmount, CountedCharge } from './budget-decisions.ts';
import { Changes } from './changes.ts';
import { addCost, noCost, unpricedSubmits } from './row-history.ts';
import type { RowCost, RowHistory } from './row-history.ts';
import type { Row } from './row.ts';

/** What is set aside for a submission until it is settled. It is part of the estimates of its row. */
export interface ReservedPrice extends ReservedAmount {
  /** Path of the endpoint. */
  readonly path: string;
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
  addEarlier(row: RowHistory): void {
    const { cost = noCost, path = '' } = row;
    const unpriced = unpricedSubmits(row);
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
   * `path` is that of the endpoint: requests to it have similar prices. `repeats` is the number of unpriced submissions of
   * earlier runs that this one repeats under their key: together, they are charged once.
   *
   * @throws {@link BudgetExceededError} when the remaining budget does not cover the price, or might not because the price is
   * unknown.
   */
  async reserve(
    row: Row,
    path: string,
    price: number | undefined,
    repeats: number,
  ): Promise<ReservedPrice> {
    const { signal } = row.controller;
    for (;;) {
      const state = this.#stateFor(path, price, repeats);
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

  #stateFor(path: string, price: number | undefined, repeats: number): ReservationState {
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
  adopt({ cost }: Row, path: string): ReservedPrice {
    this.#inFlight += 1;
    return { usd: cost.estimatedUsd, basis: 'price', path };
  }

  /** Ends the reservation of a submission. If it still counts, but has no amount, the submission is unpriced. */
  settle(row: Row, reserved: ReservedPrice, counted: CountedCharge): void {
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

  #change(row: Row, change: Partial<RowCost>): void {
    row.addCost(change);
    this.#total = addCost(this.#total, change);
  }

  #exceeded(state: ReservationState): BudgetExceededError {
    const { chargedUsd, estimatedUsd } = this.total;
    const summary = (wording = forPrograms) =>
      `Budget of the batch exceeded: ${wording.amounts(chargedUsd, this.#maxUsd)} spent, ` +
      `${wording.usd(estimatedUsd)} reserved for rows that may have been charged; ${reservationProblem(state, wording)}`;
    const details = { outcome: 'not-sent', spentUsd: chargedUsd, maxUsd: this.#maxUsd } as const;
    return createError(BudgetExceededError, { summary }, details);
  }
}

/** Fetches a model, so that its prices are known. */
export type FetchModel = (model: string) => Promise<unknown>;

/** A submission that may have a price. */
export interface Priced {
  /** The models to which it may be sent. */
  readonly models: readonly string[];
  /** Whether its price can be known before it is sent. */
  readonly hasPrice: boolean;
  /** Estimates the price in USD from the prices of a model; undefined if it is not known. */
  estimateUsd(prices: KnownPrices): number | undefined;
}

/**
 * Returns a function that estimates the price of a row in USD: that of its most expensive model; undefined if it is not
 * known. Fetches the prices of each model once, if they are needed. Without `fetchModel`, only those count that the client
 * knows already.
 */
export function rowPrices(
  prices: ReadonlyMap<string, KnownPrices>,
  fetchModel: FetchModel | undefined,
) {
  const fetched = new Map<string, Promise<unknown>>();
  const priceAt = async (submission: Priced, model: string) => {
    const price = submission.estimateUsd(prices.get(model));
    if (price !== undefined || !fetchModel || !submission.hasPrice) return price;
    let pending = fetched.get(model);
    if (!pending) {
      // Without its price, a row is treated like a chat. The row itself reports what is wrong.
      pending = fetchModel(model).catch(() => undefined);
      fetched.set(model, pending);
    }
    await pending;
    return submission.estimateUsd(prices.get(model));
  };
  return (submission: Priced) =>
    highestPrice(submission.models, (model) => priceAt(submission, model));
}

import { BudgetExceededError } from '../../errors/budget.ts';
import { whenAborted } from '../config/clock.ts';
import { roundUsd } from '../limits/round-usd.ts';

/** What a row has cost in all runs, in USD. */
export interface RowCost {
  /** The sum of its charges. */
  readonly chargedUsd: number;
  /** The sum of the estimates for submissions whose charge is not known, because they may have been charged. */
  readonly estimatedUsd: number;
}

export const noCost: RowCost = { chargedUsd: 0, estimatedUsd: 0 };

/** A row, as its budget sees it. */
export interface Spender {
  cost: RowCost;
  /** The part of the estimates that belongs to the submission in progress. */
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

/** The budget of a batch, over all runs of its journal. Also adds up its costs if there is no limit. */
export class BatchBudget {
  readonly #maxUsd: number;
  #total: RowCost = noCost;
  /** The largest charge so far, by path: what a request may cost if its price is not known. */
  readonly #largest = new Map<string, number>();
  /** Number of submissions with a reservation. */
  #inFlight = 0;
  #wake: (() => void)[] = [];

  constructor(maxUsd = Infinity) {
    this.#maxUsd = roundUsd(maxUsd);
  }

  /** The costs of all rows in all runs. */
  get total(): RowCost {
    return this.#total;
  }

  /** Adds what earlier runs have spent on a row. */
  add({ chargedUsd, estimatedUsd }: RowCost, path = ''): void {
    this.#change(chargedUsd, estimatedUsd);
    if (chargedUsd > 0) this.#recordCharge(path, chargedUsd);
  }

  /**
   * Reserves the price of a submission. If it does not fit, waits for the submissions that are in flight, whose charges may
   * be lower. Until the first charge is known, requests without a price are sent one at a time.
   *
   * @throws {@link BudgetExceededError} when the rest of the budget is too small.
   */
  async reserve(row: Spender, { price, path, signal }: Purchase): Promise<void> {
    let usd = price ?? this.#largest.get(path);
    while (!this.#fits(usd, price !== undefined)) {
      if (this.#inFlight === 0) throw this.#exceeded(usd);
      await this.#nextChange(signal);
      signal.throwIfAborted();
      usd = price ?? this.#largest.get(path);
    }
    this.#inFlight += 1;
    row.reservedUsd = usd ?? 0;
    this.#addTo(row, 0, usd ?? 0);
  }

  /** Takes over the reservation of an earlier run, whose submission is sent again under its key. */
  adopt(row: Spender): void {
    this.#inFlight += 1;
    row.reservedUsd = row.cost.estimatedUsd;
  }

  /** Replaces the reservation of a row with its charge. Without one, the estimate counts. */
  charge(row: Spender, path: string, usd: number | undefined): void {
    this.#recordCharge(path, usd ?? row.reservedUsd ?? 0);
    if (usd !== undefined) this.#addTo(row, usd, -(row.reservedUsd ?? 0));
    this.#end(row);
  }

  /** Ends the reservation of a row that was certainly not charged. */
  release(row: Spender): void {
    this.#addTo(row, 0, -(row.reservedUsd ?? 0));
    this.#end(row);
  }

  /** Keeps the estimate of a row that may have been charged. */
  keep(row: Spender): void {
    this.#end(row);
  }

  #end(row: Spender): void {
    if (row.reservedUsd !== undefined) this.#inFlight -= 1;
    row.reservedUsd = undefined;
    for (const wake of this.#wake.splice(0)) wake();
  }

  #fits(usd: number | undefined, isPriceKnown: boolean): boolean {
    if (this.#maxUsd === Infinity) return true;
    const committed = this.#committed;
    const isLeft = isPriceKnown || committed < this.#maxUsd;
    if (usd === undefined) return isLeft && this.#inFlight === 0;
    return isLeft && roundUsd(committed + usd) <= this.#maxUsd;
  }

  get #committed(): number {
    return roundUsd(this.#total.chargedUsd + this.#total.estimatedUsd);
  }

  #nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const stopListening = whenAborted(signal, () => wake());
      const wake = () => {
        stopListening();
        resolve();
      };
      this.#wake.push(wake);
    });
  }

  #recordCharge(path: string, usd: number): void {
    this.#largest.set(path, Math.max(this.#largest.get(path) ?? 0, usd));
  }

  #addTo(row: Spender, chargedUsd: number, estimatedUsd: number): void {
    row.cost = sum(row.cost, chargedUsd, estimatedUsd);
    this.#change(chargedUsd, estimatedUsd);
  }

  #change(chargedUsd: number, estimatedUsd: number): void {
    this.#total = sum(this.#total, chargedUsd, estimatedUsd);
  }

  #exceeded(usd: number | undefined): BudgetExceededError {
    const { chargedUsd, estimatedUsd } = this.#total;
    const price = usd === undefined ? 'an unknown price' : `${usd} USD`;
    return new BudgetExceededError(
      `Budget of the batch exceeded: ${chargedUsd} of ${this.#maxUsd} USD spent, ` +
        `${estimatedUsd} USD reserved for rows that may have been charged; the next row costs ${price}`,
      { outcome: 'not-sent', spentUsd: chargedUsd, maxUsd: this.#maxUsd },
    );
  }
}

const sum = (cost: RowCost, chargedUsd: number, estimatedUsd: number): RowCost => ({
  chargedUsd: roundUsd(cost.chargedUsd + chargedUsd),
  estimatedUsd: Math.max(0, roundUsd(cost.estimatedUsd + estimatedUsd)),
});

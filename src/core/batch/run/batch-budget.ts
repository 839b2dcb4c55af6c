import { BudgetExceededError } from '../../../errors/budget.ts';
import { whenAborted } from '../../config/clock.ts';
import { roundUsd } from '../../limits/round-usd.ts';
import { addCost, noCost } from '../journal/row-cost.ts';
import type { RowCost } from '../journal/row-cost.ts';

/** A row, as its budget sees it. */
export interface Spender {
  cost: RowCost;
  /** The part of the estimates that belongs to the submission in progress; 0 if its price is not known. */
  reservedUsd?: number | undefined;
}

/** How many submissions without a known price may be lost before their price has to become known. */
const maxUnpriced = 4;

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
  #wake: (() => void)[] = [];

  constructor(maxUsd = Infinity) {
    this.#maxUsd = roundUsd(maxUsd);
  }

  /** The costs of all rows in all runs. Lost submissions without a price may have cost as much as any other. */
  get total(): RowCost {
    let unpricedUsd = 0;
    for (const [path, count] of this.#unpriced)
      unpricedUsd += count * (this.#largest.get(path) ?? 0);
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
  async reserve(row: Spender, { price, path, signal }: Purchase): Promise<void> {
    let usd = price ?? this.#largest.get(path);
    while (!this.#fits(path, usd, price !== undefined)) {
      if (this.#inFlight === 0) throw this.#exceeded(path, usd);
      await this.#nextChange(signal);
      signal.throwIfAborted();
      usd = price ?? this.#largest.get(path);
    }
    this.#inFlight += 1;
    row.reservedUsd = usd ?? 0;
    this.#change(row, { estimatedUsd: usd ?? 0 });
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
    for (const wake of this.#wake.splice(0)) wake();
  }

  #fits(path: string, usd: number | undefined, isPriceKnown: boolean): boolean {
    if (this.#maxUsd === Infinity) return true;
    const committed = this.#committed;
    const isLeft = isPriceKnown || committed < this.#maxUsd;
    if (usd === undefined) {
      return isLeft && this.#inFlight === 0 && this.#unpricedAt(path) < maxUnpriced;
    }
    return isLeft && roundUsd(committed + usd) <= this.#maxUsd;
  }

  get #committed(): number {
    const { chargedUsd, estimatedUsd } = this.total;
    return roundUsd(chargedUsd + estimatedUsd);
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

  #change(row: Spender, change: Partial<RowCost>): void {
    row.cost = addCost(row.cost, change);
    this.#total = addCost(this.#total, change);
  }

  #exceeded(path: string, usd: number | undefined): BudgetExceededError {
    const { chargedUsd, estimatedUsd } = this.total;
    const unpriced = this.#unpricedAt(path);
    const price =
      usd !== undefined
        ? `the next row costs ${usd} USD`
        : unpriced < maxUnpriced
          ? 'the next row costs an unknown price'
          : `${unpriced} more rows may have been charged, and what such a row costs is not known. ` +
            'It becomes known when one succeeds, for example in a run without maxUsd';
    return new BudgetExceededError(
      `Budget of the batch exceeded: ${chargedUsd} of ${this.#maxUsd} USD spent, ` +
        `${estimatedUsd} USD reserved for rows that may have been charged; ${price}`,
      { outcome: 'not-sent', spentUsd: chargedUsd, maxUsd: this.#maxUsd },
    );
  }
}

import type { Wording } from '../../errors/base.ts';
import { usdText } from '../../errors/message.ts';
import { toNano, toUsd } from '../../paid/amounts.ts';
import { isUnpriced, maxUnpriced } from '../../paid/limits.ts';
import type { Expected, LimitState } from '../../paid/limits.ts';
import { pricedUnits } from '../../paid/prices.ts';
import type { PricedUnits } from '../../paid/prices.ts';
import type { KnownPrices } from '../limits/prices.ts';

/** What programs read: amounts in USD, and options by their names in code. */
export const forPrograms: Wording = {
  usd: usdText,
  amounts: (usd, whole) => `${usd} of ${whole} USD`,
  option: (name) => name,
  limit: 'the budget',
  again: 'run it again with the same journal',
};

/** The price in USD with the most expensive of the models; undefined if the price with one is not known. */
export async function highestPrice(
  models: readonly string[],
  priceAt: (model: string) => Promise<number | undefined>,
): Promise<number | undefined> {
  let highest = 0;
  for (const model of models) {
    const price = await priceAt(model);
    if (price === undefined) return undefined;
    highest = Math.max(highest, price);
  }
  return highest;
}

/** What to reserve for a request. `largest` is the largest charge for such a request so far, if one is known. In USD. */
export function reservationFor(price: number | undefined, largest: number | undefined): Expected {
  if (price !== undefined) return { nanoUsd: toNano(price), basis: 'price' };
  if (largest !== undefined) return { nanoUsd: toNano(largest), basis: 'largest-charge' };
  return { nanoUsd: 0, basis: 'unknown' };
}

/** A submission whose price can be estimated. */
export interface Priceable {
  /** The models to which it may be sent. */
  readonly models: readonly string[];
  /** Estimates the price in USD from the prices of a model; undefined if it is not known. */
  readonly estimateUsd: (prices: KnownPrices) => number | undefined;
}

/** What a submission with this price in USD pays for; undefined if that is not known. */
export function unitsOf(
  { models, estimateUsd }: Priceable,
  path: string,
  price: number,
): PricedUnits | undefined {
  const units = estimateUsd({ unitPriceUsd: 1 });
  if (!units) return undefined;
  return pricedUnits([path, models], price, units);
}

/** What unpriced requests may have cost: as much as any other. Both are by path. */
export function unpricedUsd(
  unpriced: ReadonlyMap<string, number>,
  largest: ReadonlyMap<string, number>,
): number {
  let usd = 0;
  for (const [path, count] of unpriced) usd += count * (largest.get(path) ?? 0);
  return usd;
}

/** Why a budget does not cover a submission. */
export function reservationProblem(
  { next, unpriced = 0 }: LimitState,
  { usd, option }: Wording = forPrograms,
): string {
  if (!isUnpriced(next)) return `the next row costs ${usd(toUsd(next.nanoUsd))}`;
  if (unpriced < maxUnpriced) return 'the price of the next row is not known';
  return (
    `${unpriced} more rows may have been charged, and what such a row costs is not known. ` +
    `It becomes known when the service reports a charge above 0 for one, for example in a run without ${option('maxUsd')}`
  );
}

/** Fetches a model, so that its prices are known. */
export type FetchModel = (model: string) => Promise<unknown>;

/** A submission that may have a price. */
export interface Priced extends Priceable {
  /** Whether its price can be known before it is sent. */
  readonly hasPrice: boolean;
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

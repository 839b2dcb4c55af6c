import type { Wording } from '../../errors/base.ts';
import { usdText } from '../../errors/message.ts';
import { toUsd } from '../../paid/amounts.ts';
import { isUnpriced, maxUnpriced } from '../../paid/limits.ts';
import type { LimitState } from '../../paid/limits.ts';
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

/** A submission that may have a price. */
export interface Priced {
  /** The models to which it may be sent. */
  readonly models: readonly string[];
  /** Estimates the price in USD from the prices of a model. Undefined if the price is known only after the response. */
  readonly estimateUsd?: ((prices: KnownPrices) => number | undefined) | undefined;
}

/** Why a budget does not cover a submission. */
export function reservationProblem(
  { next, unpriced = 0 }: Pick<LimitState, 'next' | 'unpriced'>,
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
  const priceAt = async ({ estimateUsd }: Priced, model: string) => {
    const price = estimateUsd?.(prices.get(model));
    if (price !== undefined || !fetchModel || !estimateUsd) return price;
    // Without its price, a row is treated like a chat. The row itself reports what is wrong.
    const pending = fetched.get(model) ?? fetchModel(model).catch(() => undefined);
    fetched.set(model, pending);
    await pending;
    return estimateUsd(prices.get(model));
  };
  return (submission: Priced) =>
    highestPrice(submission.models, (model) => priceAt(submission, model));
}

import type { ClientContext } from '../../call/context.ts';
import type { CallerContext } from '../../config/caller.ts';
import type { KnownPrices } from '../../limits/prices.ts';

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

/** Estimates the price of a submission in USD; undefined if it is not known. */
export type PriceOf = (submission: Priced) => Promise<number | undefined>;

/** Where prices come from. Without `fetchModel`, only those count that the client knows already. */
interface PriceSource {
  readonly client: ClientContext;
  readonly enter: CallerContext;
  readonly fetchModel: FetchModel | undefined;
}

/**
 * Returns a function that estimates the price of a row: that of its most expensive model. Fetches the prices of each
 * model once, if they are needed.
 */
export function rowPrices({ client, enter, fetchModel }: PriceSource): PriceOf {
  const { prices } = client.shared;
  const fetched = new Map<string, Promise<unknown>>();
  const priceAt = async (submission: Priced, model: string) => {
    const price = submission.estimateUsd(prices.get(model));
    if (price !== undefined || !fetchModel || !submission.hasPrice) return price;
    let pending = fetched.get(model);
    if (!pending) {
      // Without its price, a row is treated like a chat. The row itself reports what is wrong.
      pending = enter(() => fetchModel(model)).catch(() => undefined);
      fetched.set(model, pending);
    }
    await pending;
    return submission.estimateUsd(prices.get(model));
  };
  return (submission) => highestPrice(submission.models, (model) => priceAt(submission, model));
}

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

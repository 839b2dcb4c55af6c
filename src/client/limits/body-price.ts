import { unchecked } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { requestPrice } from './request-price.ts';
import type { PricedAs, PriceEstimator } from './request-price.ts';

/**
 * Estimates what a request costs, from a body that was not checked: any JSON value, or none. Returns undefined if its
 * price is known only afterwards.
 */
export function estimateBody(
  price: PricedAs | undefined,
  body: unknown,
): PriceEstimator | undefined {
  if (price === undefined) return undefined;
  const params = unchecked<Readonly<Record<string, never>>>(isRecord(body) ? body : {});
  return (prices) => {
    try {
      return requestPrice[price](params)(prices);
    } catch {
      // A field that is not what the estimator expects. The price is then unknown.
      return undefined;
    }
  };
}

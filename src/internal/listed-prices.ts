/**
 * The prices of a model that apply to API requests, for texts and choices. Every field of the record can be missing or
 * invalid.
 */
import { priceRecords } from '../client/limits/prices.ts';
import type { KnownPrices } from '../client/limits/prices.ts';
import type { ResolutionPrice } from '../wire/types/catalog/pricing.ts';
import { isRecord } from '../wire/types/type-guards.ts';

/** A price in USD; undefined if there is none. */
export function listedPrice(
  pricing: KnownPrices,
  name: 'unitPriceUsd' | 'inputPricePer1kUsd' | 'outputPricePer1kUsd',
): number | undefined {
  return priceRecords(pricing)
    .map((record) => record?.[name])
    .find((price) => typeof price === 'number');
}

/** The prices of the resolutions that are available. */
export function resolutionPrices(pricing: KnownPrices): readonly ResolutionPrice[] {
  const lists = priceRecords(pricing).map((record) => record?.resolutionPrices);
  const list = lists.find((prices) => Array.isArray(prices) && prices.length > 0) ?? [];
  return list.filter((price) => isRecord(price) && isOffered(price));
}

/** The service may leave out the field, whatever the types say. */
function isOffered({ enabled }: { enabled?: boolean }): boolean {
  return enabled ?? true;
}

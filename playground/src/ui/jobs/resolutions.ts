import type { Model } from 'polygate';

/** The resolutions that a model has a price for. */
export function resolutionsOf(model: Model | undefined): string[] {
  const prices = model?.pricing?.resolutionPrices ?? [];
  return prices.filter(({ enabled }) => enabled).map(({ resolution }) => resolution);
}

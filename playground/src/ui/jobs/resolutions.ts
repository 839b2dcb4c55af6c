import type { Model } from 'polygate';

/** Returns the resolutions for which the model has a price. */
export function resolutionsOf(model: Model | undefined): string[] {
  const prices = model?.pricing?.resolutionPrices ?? [];
  return prices.filter(({ enabled }) => enabled).map(({ resolution }) => resolution);
}

import { estimate } from 'polygate';
import type { KnownPrices, Model } from 'polygate';

import { listedPrice, resolutionPrices } from '../../internal.ts';
import { roundUsd } from '../../paid/amounts.ts';
import { textOf } from '../../wire/types/type-guards.ts';

/** Upper bound for the input tokens of a diagnostic chat. */
const maxInputTokens = 100;

/** The limit of output tokens that chats are sent with. */
export const maxOutputTokens = 16;

/** A model with the most that one request of the diagnosis costs at its listed price. */
export interface PricedModel {
  readonly id: string;
  readonly priceUsd: number;
  /** The resolution that has this price, if it has to be named. */
  readonly resolution?: string | undefined;
}

/** The models of a type whose price is known, cheapest first. */
export function cheapestModels(models: readonly Model[], type: 'chat' | 'image'): PricedModel[] {
  return models
    .filter((model) => model.type === type)
    .flatMap((model) => cheapestOf(model) ?? [])
    .toSorted((one, other) => one.priceUsd - other.priceUsd);
}

/** The lowest known price of a model. A price of 0 may stand for an unknown one. */
export function cheapestOf(model: Model): PricedModel | undefined {
  return pricesOf(model)
    .filter(({ priceUsd }) => priceUsd > 0 && priceUsd < Infinity)
    .toSorted((one, other) => one.priceUsd - other.priceUsd)[0];
}

function pricesOf({ id, type, pricing }: Model): PricedModel[] {
  if (type === 'chat') return [{ id, priceUsd: chatPrice(pricing) }];
  const unit = estimate.image(pricing, {}) ?? NaN;
  if (unit > 0) return [{ id, priceUsd: unit }];
  // Without a price per unit, only a request that names its resolution has a known price.
  const resolutions = resolutionPrices(pricing).map((price) => textOf(price.resolution));
  if (resolutions.length === 0) return [{ id, priceUsd: chatPrice(pricing) }];
  return resolutions.map((resolution) => ({
    id,
    resolution,
    priceUsd: estimate.image(pricing, { resolution }) ?? NaN,
  }));
}

/** The most that a chat of the diagnosis, or a short text for another model with prices per token, costs, including a price per request if there is one. */
function chatPrice(pricing: KnownPrices): number {
  const input = listedPrice(pricing, 'inputPricePer1kUsd');
  const output = listedPrice(pricing, 'outputPricePer1kUsd');
  if (input === undefined || output === undefined) return NaN;
  const unit = listedPrice(pricing, 'unitPriceUsd') ?? 0;
  return roundUsd((maxInputTokens * input + maxOutputTokens * output) / 1000 + unit);
}

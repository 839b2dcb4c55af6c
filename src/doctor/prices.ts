import { estimate } from 'polygate';
import type { Model } from 'polygate';

import { roundUsd } from '../internal/budget.ts';
import { isRecord } from '../types/type-guards.ts';

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
  return resolutionsOf(pricing).map((resolution) => ({
    id,
    resolution,
    priceUsd: estimate.image(pricing, { resolution }) ?? NaN,
  }));
}

function resolutionsOf(pricing: unknown): string[] {
  return recordsOf(pricing)
    .flatMap((record) => record['resolutionPrices'])
    .flatMap((price) => (isRecord(price) ? price['resolution'] : []))
    .filter((resolution) => typeof resolution === 'string');
}

/** The most that a chat of the diagnosis costs, including a price per request if there is one. */
function chatPrice(pricing: unknown): number {
  const { input, output, unit } = tokenPrices(pricing);
  if (input === undefined || output === undefined) return NaN;
  return roundUsd((maxInputTokens * input + maxOutputTokens * output) / 1000 + unit);
}

/** The records that may have prices. That of API requests takes precedence. */
function recordsOf(pricing: unknown): Record<string, unknown>[] {
  const profiles = isRecord(pricing) ? pricing['profiles'] : undefined;
  return [isRecord(profiles) ? profiles['api'] : undefined, pricing].filter(isRecord);
}

/** Prices of a chat model in USD: per 1000 tokens, and per unit. */
function tokenPrices(pricing: unknown) {
  const records = recordsOf(pricing);
  const price = (name: string) =>
    records.map((record) => record[name]).find((value) => typeof value === 'number');
  return {
    input: price('inputPricePer1kUsd'),
    output: price('outputPricePer1kUsd'),
    unit: price('unitPriceUsd') ?? 0,
  };
}

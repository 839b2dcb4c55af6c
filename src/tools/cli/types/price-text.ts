import type { KnownPrices } from 'polygate';

import { listedPrice, resolutionPrices } from '../../../internal.ts';

const units: Readonly<Record<string, string>> = {
  image: 'per image',
  second: 'per second',
  character: 'per character',
  audio: 'per output',
};

/** The price of a model in one line. The record can lack any field, because only the id of a model is checked. */
export function priceText(pricing: KnownPrices): string {
  const unit = units[String(pricing?.profiles?.api?.billingUnit)];
  const input = priceIn(pricing, 'inputPricePer1kUsd');
  const output = priceIn(pricing, 'outputPricePer1kUsd');
  const tokens =
    input === undefined || output === undefined
      ? []
      : [`${usd(input)} per 1000 input tokens, ${usd(output)} per 1000 output tokens`];
  const prices = resolutionPricesOf(pricing).map(({ name, price }) => `${usd(price)} for ${name}`);
  const perUnit = priceIn(pricing, 'unitPriceUsd');
  const ofUnit =
    prices.length > 0
      ? prices
      : perUnit === undefined
        ? []
        : [`${usd(perUnit)} ${unit ?? 'per unit'}`];
  const suffix = prices.length > 0 && unit !== undefined ? ` ${unit}` : '';
  return (
    [...tokens, ofUnit.join(', ') + suffix].filter(Boolean).join(', ') || 'The price is not known.'
  );
}

/** The resolutions with a separate price. */
export function resolutionsOf(pricing: KnownPrices): string[] {
  return [...new Set(resolutionPricesOf(pricing).map(({ name }) => name))];
}

function resolutionPricesOf(pricing: KnownPrices): { name: string; price: number }[] {
  return resolutionPrices(pricing)
    .filter(
      ({ resolution, unitPriceUsd }) =>
        typeof resolution === 'string' && typeof unitPriceUsd === 'number',
    )
    .map(({ resolution, unitPriceUsd }) => ({ name: resolution, price: unitPriceUsd }));
}

/** A listed price. A price of zero may be one that does not apply. */
function priceIn(...[pricing, name]: Parameters<typeof listedPrice>): number | undefined {
  const price = listedPrice(pricing, name);
  return price !== undefined && price > 0 ? price : undefined;
}

/** An amount without the noise of binary fractions, and without an exponent. */
function usd(amount: number): string {
  return `${amount.toFixed(9).replace(/\.?(?<!0)0+$/, '')} USD`;
}

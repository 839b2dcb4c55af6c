import { isRecord } from '../../types/type-guards.ts';

const units: Readonly<Record<string, string>> = {
  image: 'per image',
  second: 'per second',
  character: 'per character',
  audio: 'per output',
};

/** The price of a model in one line. The record can lack any field, because only the id of a model is checked. */
export function priceText(pricing: unknown): string {
  const records = recordsOf(pricing);
  const unit = units[String(records.map((record) => record.billingUnit).find(Boolean))];
  const input = numberIn(records, 'inputPricePer1kUsd');
  const output = numberIn(records, 'outputPricePer1kUsd');
  const tokens =
    input === undefined || output === undefined
      ? []
      : [`${usd(input)} per 1000 input tokens, ${usd(output)} per 1000 output tokens`];
  const prices = resolutionPricesOf(pricing).map(({ name, price }) => `${usd(price)} for ${name}`);
  const perUnit = numberIn(records, 'unitPriceUsd');
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
export function resolutionsOf(pricing: unknown): string[] {
  return [...new Set(resolutionPricesOf(pricing).map(({ name }) => name))];
}

function resolutionPricesOf(pricing: unknown): { name: string; price: number }[] {
  const lists = recordsOf(pricing)
    .map((record) => record.resolutionPrices)
    .filter((list): list is unknown[] => Array.isArray(list));
  return (lists.find((list) => list.length > 0) ?? []).flatMap((entry) => {
    const { resolution, unitPriceUsd, enabled } = isRecord(entry) ? entry : {};
    if (typeof resolution !== 'string' || typeof unitPriceUsd !== 'number') return [];
    return enabled === false ? [] : [{ name: resolution, price: unitPriceUsd }];
  });
}

/** The records that may have prices. That of API requests takes precedence. */
function recordsOf(pricing: unknown): Record<string, unknown>[] {
  const profiles = isRecord(pricing) ? pricing.profiles : undefined;
  return [isRecord(profiles) ? profiles.api : undefined, pricing].filter(isRecord);
}

/** The first of the prices that is not zero: a price of zero may be one that does not apply. */
function numberIn(records: readonly Record<string, unknown>[], name: string): number | undefined {
  return records
    .map((record) => record[name])
    .filter((value) => typeof value === 'number')
    .find((value) => value > 0);
}

/** An amount without the noise of binary fractions, and without an exponent. */
function usd(amount: number): string {
  return `${amount.toFixed(9).replace(/\.?(?<!0)0+$/, '')} USD`;
}

import type { KnownPrices } from 'polygate';

import { listedPrice, resolutionPrices } from '../../internal.ts';
import { exactUsd } from '../money.ts';
import { cleanText } from './text.ts';

/** The names of billing units, where they differ from what the service calls them. */
const unitNames: Readonly<Record<string, string>> = { audio: 'track' };

/** Describes the prices of a model, in the units of `gateway.models.list()`: `$0.02 per image (1K), $0.04 (2K)`. */
export function priceText(pricing: KnownPrices): string {
  const api = pricing?.profiles?.api;
  const unit = typeof api?.billingUnit === 'string' ? api.billingUnit : undefined;
  const input = listedPrice(pricing, 'inputPricePer1kUsd');
  const output = listedPrice(pricing, 'outputPricePer1kUsd');
  const parts = [];
  if (isPrice(input) || isPrice(output)) {
    parts.push(`${exactUsd(input ?? 0)} in, ${exactUsd(output ?? 0)} out per 1000 tokens`);
  }
  const resolutions = resolutionPrices(pricing).flatMap(({ resolution, unitPriceUsd }) =>
    isPrice(unitPriceUsd) && typeof resolution === 'string'
      ? [{ usd: exactUsd(unitPriceUsd), name: cleanText(resolution) }]
      : [],
  );
  const price = listedPrice(pricing, 'unitPriceUsd');
  const [first, ...others] = resolutions;
  if (first !== undefined) {
    const rest = others.map(({ usd, name }) => `, ${usd} (${name})`).join('');
    parts.push(`${first.usd} per ${nameOf(unit)} (${first.name})${rest}`);
  } else if (isPrice(price)) {
    parts.push(`${exactUsd(price)} per ${unit === 'token' ? 'image' : nameOf(unit)}`);
  }
  return parts.join('; ') || 'no price listed';
}

function nameOf(unit: string | undefined): string {
  return unit === undefined ? 'unit' : (unitNames[unit] ?? cleanText(unit));
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < Infinity;
}

import type { KnownPrices } from 'polygate';

import { listedPrice, resolutionPrices } from '../../../internal.ts';
import { formatUsd } from '../money.ts';
import { cleanText } from '../text.ts';

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
    parts.push(`${formatUsd(input ?? 0)} in, ${formatUsd(output ?? 0)} out per 1000 tokens`);
  }
  const resolutions = resolutionPrices(pricing).filter(({ unitPriceUsd }) => isPrice(unitPriceUsd));
  const price = listedPrice(pricing, 'unitPriceUsd');
  if (resolutions.length > 0) {
    const [first, ...others] = resolutions.map(
      ({ resolution, unitPriceUsd }) => `${formatUsd(unitPriceUsd)}|${cleanText(resolution)}`,
    );
    const [usd, resolution] = first?.split('|') ?? [];
    const rest = others.map((other) => `, ${other.replace('|', ' (')})`).join('');
    parts.push(`${usd} per ${nameOf(unit)} (${resolution})${rest}`);
  } else if (isPrice(price)) {
    parts.push(`${formatUsd(price)} per ${unit === 'token' ? 'image' : nameOf(unit)}`);
  }
  return parts.join('; ') || 'no price listed';
}

function nameOf(unit: string | undefined): string {
  return unit === undefined ? 'unit' : (unitNames[unit] ?? cleanText(unit));
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < Infinity;
}

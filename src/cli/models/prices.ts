import type { KnownPrices } from 'polygate';

import { formatUsd } from '../money.ts';
import { cleanText } from '../text.ts';

/** Units that are too small to read, with the number that is shown instead. */
const multiples: Readonly<Record<string, number>> = { character: 1000 };

/** The names of billing units, where they differ from what the service calls them. */
const unitNames: Readonly<Record<string, string>> = { audio: 'track' };

/** Describes the prices of a model in readable units: `$0.02 per image (1K), $0.04 (2K)`. */
export function priceText(pricing: KnownPrices): string {
  const api = pricing?.profiles?.api;
  const unit = typeof api?.billingUnit === 'string' ? api.billingUnit : undefined;
  const input = api?.inputPricePer1kUsd ?? pricing?.inputPricePer1kUsd;
  const output = api?.outputPricePer1kUsd ?? pricing?.outputPricePer1kUsd;
  const parts = [];
  if (isPrice(input) || isPrice(output)) {
    const perMillion = (price: number | undefined) => formatUsd((price ?? 0) * 1000);
    parts.push(`${perMillion(input)} in, ${perMillion(output)} out per 1M tokens`);
  }
  const resolutions = [api, pricing]
    .map((prices) => prices?.resolutionPrices)
    .find((list) => Array.isArray(list) && list.length > 0)
    ?.filter((entry) => isOffered(entry) && isPrice(entry.unitPriceUsd));
  const price = api?.unitPriceUsd ?? pricing?.unitPriceUsd;
  if (resolutions?.length) {
    const [first, ...others] = resolutions.map(
      ({ resolution, unitPriceUsd }) => `${formatUsd(unitPriceUsd)}|${cleanText(resolution)}`,
    );
    const [usd, resolution] = first?.split('|') ?? [];
    const rest = others.map((other) => `, ${other.replace('|', ' (')})`).join('');
    parts.push(`${usd} per ${nameOf(unit)} (${resolution})${rest}`);
  } else if (isPrice(price)) {
    const count = multiples[unit ?? ''] ?? 1;
    const units = unit === 'token' ? 'image' : nameOf(unit);
    parts.push(`${formatUsd(price * count)} per ${count === 1 ? units : `${count} ${units}s`}`);
  }
  return parts.join('; ') || 'no price listed';
}

function nameOf(unit: string | undefined): string {
  return unit === undefined ? 'unit' : (unitNames[unit] ?? cleanText(unit));
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < Infinity;
}

/** The service may leave out the field, whatever the types say. */
function isOffered({ enabled }: { enabled?: boolean }): boolean {
  return enabled ?? true;
}

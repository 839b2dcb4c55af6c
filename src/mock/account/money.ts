import type { Model } from '../../wire/types/catalog/models.ts';
import type { ResolutionPrice } from '../../wire/types/catalog/pricing.ts';
import { invalidParameter } from '../http/response.ts';

/**
 * Amounts are rounded to a billionth of a dollar: fine enough for the price of a single character,
 * coarse enough for doubles.
 */
const precision = 1e9;

/** Rounds an amount in USD; zero if it is negative or not finite. */
export function roundUsd(amount: number): number {
  if (!Number.isFinite(amount) || amount <= 0) return 0;
  return Math.round(amount * precision) / precision;
}

/** Returns the rounded sum of two amounts, either of which may be negative. */
export function addUsd(first: number, second: number): number {
  return Math.round((first + second) * precision) / precision;
}

/** Formats an amount with decimal digits only, never with an exponent. */
export function formatUsd(amount: number): string {
  const text = amount.toFixed(9);
  return text.replace(/\.?(?<!0)0+$/, '') || '0';
}

/**
 * Computes the price of voice clones in USD. Specification: Billing formulas; assumption A19
 * (currency).
 */
export function voiceClonePrice(clones: number, previewCharacters: number): number {
  return roundUsd(clones * 1.5 + previewCharacters * 0.0003);
}

/**
 * Computes the price of voice designs in USD. Specification: Billing formulas; assumption A19
 * (currency).
 */
export function voiceDesignPrice(designs: number, previewCharacters: number): number {
  return roundUsd(designs * 3 + previewCharacters * 0.00003);
}

/**
 * Counts Unicode code points: letters, punctuation, spaces, line breaks and emoji all count.
 * Specification: Limits.
 */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** Computes the price of speech in USD. Speech is billed per character. */
export function speechPrice(model: Model, text: string): number {
  return roundUsd(unitPrice(model) * countCharacters(text));
}

/** Computes the price of music in USD. Music is billed per output. */
export function musicPrice(model: Model, outputs: number): number {
  return roundUsd(unitPrice(model) * outputs);
}

/**
 * Computes the price of images or video in USD: per image or per second, depending on the resolution.
 * Throws a 400 if the resolution has no price; the message is `requirement`, followed by the
 * available resolutions.
 */
export function resolutionPrice(
  model: Model,
  resolution: string | undefined,
  units: number,
  requirement: string,
): number {
  return roundUsd(pricePerUnit(model, resolution, requirement) * units);
}

/** Computes the price of a completion in USD. Chat is billed per token, and per image for image output. */
export function chatPrice(model: Model, input: number, output: number, images: number): number {
  const inputPrice = model.pricing?.inputPricePer1kUsd ?? 0;
  const outputPrice = model.pricing?.outputPricePer1kUsd ?? 0;
  return roundUsd((input * inputPrice + output * outputPrice) / 1000 + images * unitPrice(model));
}

function pricePerUnit(model: Model, resolution: string | undefined, requirement: string): number {
  const prices = model.pricing?.resolutionPrices ?? [];
  if (resolution === undefined || prices.length === 0) return unitPrice(model);
  const match = prices.find((price) => isResolution(price, resolution));
  if (match !== undefined) return match.unitPriceUsd;
  const available = prices.filter((price) => price.enabled).map((price) => price.resolution);
  throw invalidParameter(`${requirement} ${available.join(', ')} for ${model.id}`);
}

function isResolution(price: ResolutionPrice, wanted: string): boolean {
  return price.enabled && price.resolution.toLowerCase() === wanted.toLowerCase();
}

function unitPrice(model: Model): number {
  return model.pricing?.unitPriceUsd ?? 0;
}

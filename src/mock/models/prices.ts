import type { Model } from '../../schemas/models.ts';
import type { ResolutionPrice } from '../../schemas/pricing.ts';
import { usd } from '../account/money.ts';
import { invalidParameter } from '../http/response/gateway-error.ts';

/** Specification: Billing formulas. The currency is assumption A19: USD. */
export function voiceClonePrice(clones: number, previewCharacters: number): number {
  return usd(clones * 1.5 + previewCharacters * 0.0003);
}

/** Specification: Billing formulas. The currency is assumption A19: USD. */
export function voiceDesignPrice(designs: number, previewCharacters: number): number {
  return usd(designs * 3 + previewCharacters * 0.00003);
}

/**
 * Every character counts: letters, punctuation, spaces, line breaks, emoji. Specification: Limits.
 */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** Speech is billed by the character. */
export function speechPrice(model: Model, text: string): number {
  return usd(unitPrice(model) * countCharacters(text));
}

/** Music is billed by the output. */
export function musicPrice(model: Model, outputs: number): number {
  return usd(unitPrice(model) * outputs);
}

/**
 * Images are billed by the image, video by the second, both by resolution. One without a price is
 * refused with the demand and what there is.
 */
export function resolutionPrice(
  model: Model,
  resolution: string | undefined,
  units: number,
  demand: string,
): number {
  return usd(pricePerUnit(model, resolution, demand) * units);
}

/** Chat is billed by the token, and by the image where it draws. */
export function chatPrice(model: Model, input: number, output: number, images: number): number {
  const inputPrice = model.pricing?.inputPricePer1kUsd ?? 0;
  const outputPrice = model.pricing?.outputPricePer1kUsd ?? 0;
  return usd((input * inputPrice + output * outputPrice) / 1000 + images * unitPrice(model));
}

function pricePerUnit(model: Model, resolution: string | undefined, demand: string): number {
  const prices = model.pricing?.resolutionPrices ?? [];
  if (resolution === undefined || prices.length === 0) return unitPrice(model);
  const found = prices.find((price) => isResolution(price, resolution));
  if (found !== undefined) return found.unitPriceUsd;
  const known = prices.filter((price) => price.enabled).map((price) => price.resolution);
  throw invalidParameter(`${demand} ${known.join(', ')} for ${model.id}`);
}

function isResolution(price: ResolutionPrice, wanted: string): boolean {
  return price.enabled && price.resolution.toLowerCase() === wanted.toLowerCase();
}

function unitPrice(model: Model): number {
  return model.pricing?.unitPriceUsd ?? 0;
}

import { roundUsd } from '../../paid/amounts.ts';
import type { Pricing, ResolutionPrice } from '../../wire/types/catalog/pricing.ts';
import { isRecord, textOf } from '../../wire/types/type-guards.ts';

/** Estimates the price of one request in USD from the model's prices; undefined if they are unknown. */
export type PriceEstimator = (prices: KnownPrices) => number | undefined;

/** The fields of a request that determine its price. They may have any value in a body that was not checked. */
interface PricedFields {
  readonly model?: string | undefined;
  readonly size?: string | undefined;
  readonly resolution?: string | undefined;
  readonly n?: number | undefined;
  readonly num_images?: number | undefined;
  readonly duration?: number | undefined;
  readonly extra_body?: { readonly input_video_seconds?: number | undefined } | undefined;
  readonly text?: string | undefined;
  readonly input?: string | undefined;
  readonly preview_text?: string | undefined;
}

/** How a request is priced: a name in {@link requestPrice}. */
export type PricedAs = keyof typeof requestPrice;

/** Price estimators by kind of request. Each reads the fields when it is created, so later changes have no effect. */
export const requestPrice = {
  image: ({ size, resolution, num_images, n }: PricedFields): PriceEstimator => {
    // Only the service knows which price class applies to a size in pixels.
    const isClassKnown = resolution !== undefined || size === undefined;
    // A count of 0 is no order that costs nothing.
    const count = num_images || n || 1;
    return (prices) => (isClassKnown ? priceOf(prices, count, resolution) : undefined);
  },

  video: ({ size, resolution = size, duration, extra_body }: PricedFields): PriceEstimator => {
    const seconds = duration || extra_body?.input_video_seconds || NaN;
    return (prices) => priceOf(prices, seconds, resolution);
  },

  music: (): PriceEstimator => (prices) => priceOf(prices, 1),

  speech:
    ({ text, input }: PricedFields): PriceEstimator =>
    (prices) =>
      priceOf(prices, characters(text || input || '')),

  /** Music and speech share a route. */
  audio: (params: PricedFields): PriceEstimator =>
    'text' in params || 'input' in params ? requestPrice.speech(params) : requestPrice.music(),

  voiceClone: ({ text, preview_text }: PricedFields): PriceEstimator => {
    const usd = clonePrice(text ?? preview_text ?? '');
    return () => usd;
  },

  voiceDesign: ({ text, preview_text }: PricedFields): PriceEstimator => {
    const usd = designPrice(preview_text ?? text ?? '');
    return () => usd;
  },
};

/** Prices of a model, any of which may be missing. */
export type KnownPrices = Partial<Pricing> | null | undefined;

/**
 * Price estimates in USD, from the documented formulas and the price records of `models.retrieve`. The result is
 * undefined if the record has no price. Characters are counted as Unicode code points.
 */
export const estimate = {
  /** Price of cloning a voice: 1.5 per voice plus 0.0003 per preview character. */
  voiceClone({ previewText, voices = 1 }: { previewText: string; voices?: number }): number {
    return clonePrice(previewText, voices);
  },

  /** Price of designing a voice: 3 per voice plus 0.00003 per preview character. */
  voiceDesign({ previewText, voices = 1 }: { previewText: string; voices?: number }): number {
    return designPrice(previewText, voices);
  },

  /** Price of speech synthesis. Every character is billed, including spaces and line breaks. */
  speech(pricing: KnownPrices, text: string): number | undefined {
    return priceOf(pricing, characters(text));
  },

  /** Price of `count` images at a resolution. Resolutions are matched case-insensitively. */
  image(
    pricing: KnownPrices,
    { resolution, count = 1 }: { resolution?: string | undefined; count?: number } = {},
  ): number | undefined {
    return priceOf(pricing, count, resolution);
  },

  /** Price of a video of `seconds` seconds at a resolution. Resolutions are matched case-insensitively. */
  video(
    pricing: KnownPrices,
    { resolution, seconds }: { resolution?: string | undefined; seconds: number },
  ): number | undefined {
    return priceOf(pricing, seconds, resolution);
  },
};

function clonePrice(previewText: string, voices = 1): number {
  return roundUsd(voices * 1.5 + characters(previewText) * 0.0003);
}

function designPrice(previewText: string, voices = 1): number {
  return roundUsd(voices * 3 + characters(previewText) * 0.000_03);
}

/** Price of a number of units in USD; undefined if the unit price is not known. */
function priceOf(pricing: KnownPrices, units: number, resolution?: string): number | undefined {
  const price = unitPrice(pricing, resolution);
  const usd = typeof price === 'number' ? roundUsd(price * units) : NaN;
  return usd >= 0 && usd < Infinity ? usd : undefined;
}

/** The records that may have prices. That in `profiles.api`, which API requests are charged by, takes precedence. */
const priceRecords = (pricing: KnownPrices) => [pricing?.profiles?.api, pricing];

/** Unit price in USD. */
function unitPrice(pricing: KnownPrices, resolution?: string): unknown {
  const prices = resolutionList(pricing);
  if (resolution !== undefined && prices) {
    const normalized = resolution.toLowerCase();
    const price = prices.find((entry) => textOf(entry?.resolution)?.toLowerCase() === normalized);
    return price?.enabled === false ? undefined : price?.unitPriceUsd;
  }
  const price = listedPrice(pricing, 'unitPriceUsd');
  // A model that has other prices is not free: it is charged by its tokens, or by a resolution that was not named.
  const isPricedOtherwise = () =>
    prices ||
    priceRecords(pricing).some(
      (record) => record?.inputPricePer1kUsd || record?.outputPricePer1kUsd,
    );
  return price === 0 && isPricedOtherwise() ? undefined : price;
}

/** The list of prices by resolution. It is not checked when it is loaded, and must not fail a request that is paid for. */
function resolutionList(pricing: KnownPrices): readonly ResolutionPrice[] | undefined {
  return priceRecords(pricing).find(
    (record) => Array.isArray(record?.resolutionPrices) && record.resolutionPrices.length > 0,
  )?.resolutionPrices;
}

function characters(text: string): number {
  return Array.from(text).length;
}

/** A price in USD; undefined if there is none. */
export function listedPrice(
  pricing: KnownPrices,
  name: 'unitPriceUsd' | 'inputPricePer1kUsd' | 'outputPricePer1kUsd',
): number | undefined {
  return priceRecords(pricing).find((record) => typeof record?.[name] === 'number')?.[name];
}

/** The prices of the resolutions that are available. */
export function resolutionPrices(pricing: KnownPrices): readonly ResolutionPrice[] {
  return (resolutionList(pricing) ?? []).filter((price) => isRecord(price) && isOffered(price));
}

/** The service may leave out the field, whatever the types say. */
function isOffered({ enabled }: { enabled?: boolean }): boolean {
  return enabled ?? true;
}

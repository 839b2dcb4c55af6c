import type { Pricing } from '../../schemas/pricing.ts';
import { textOf } from '../../schemas/record.ts';
import { roundUsd } from './round-usd.ts';

/** A record of prices, which may lack any of them. */
export type KnownPrices = Partial<Pricing> | null | undefined;

/**
 * What things are going to cost, USD, by the documented formulas and the price records of `models.retrieve`; undefined
 * where the record has no price. Characters are Unicode code points. Specification: Limits, Pricing object.
 */
export const estimate = {
  /** A cloned voice: 1.5 a voice and 0.0003 a character of the preview. Assumption A19. */
  voiceClone({ previewText, voices = 1 }: { previewText: string; voices?: number }): number {
    return roundUsd(voices * 1.5 + characters(previewText) * 0.0003);
  },

  /** A designed voice: 3 a voice and 0.00003 a character of the preview. Assumption A19. */
  voiceDesign({ previewText, voices = 1 }: { previewText: string; voices?: number }): number {
    return roundUsd(voices * 3 + characters(previewText) * 0.000_03);
  },

  /** Speech: every character counts, spaces and line breaks included. */
  speech(pricing: KnownPrices, text: string): number | undefined {
    return priceOf(pricing, characters(text));
  },

  /** Images: the price of the resolution for each. */
  image(
    pricing: KnownPrices,
    { resolution, count = 1 }: { resolution?: string | undefined; count?: number } = {},
  ): number | undefined {
    return priceOf(pricing, count, resolution);
  },

  /** A video: the price of the resolution for each second. */
  video(
    pricing: KnownPrices,
    { resolution, seconds }: { resolution?: string | undefined; seconds: number },
  ): number | undefined {
    return priceOf(pricing, seconds, resolution);
  },
};

/** So many units at their price, USD; undefined when it is not known. */
export function priceOf(
  pricing: KnownPrices,
  units: number,
  resolution?: string,
): number | undefined {
  const price = unitPrice(pricing, resolution);
  const usd = typeof price === 'number' ? roundUsd(price * units) : NaN;
  return usd >= 0 && usd < Infinity ? usd : undefined;
}

/** The price of one unit; what is charged through the API goes before what is shown. */
function unitPrice(pricing: KnownPrices, resolution?: string): unknown {
  for (const record of [pricing?.profiles?.api, pricing]) {
    const prices = record?.resolutionPrices ?? [];
    if (resolution !== undefined && prices.length > 0) {
      const wanted = resolution.toLowerCase();
      const price = prices.find((entry) => textOf(entry.resolution)?.toLowerCase() === wanted);
      return price?.enabled === false ? undefined : price?.unitPriceUsd;
    }
    if (typeof record?.unitPriceUsd === 'number') return record.unitPriceUsd;
  }
  return undefined;
}

function characters(text: string): number {
  return Array.from(text).length;
}

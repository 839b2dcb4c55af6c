import * as z from 'zod/mini';

import { recordSchema, openString } from './record-schema.ts';
import type { Open } from './schema.ts';

/** The price at one resolution. Specification: Pricing object, `resolutionPrices`. */
export interface ResolutionPrice {
  /** The resolution, such as `1K` or `720p`. */
  resolution: string;
  /** What one unit costs at this resolution, USD. */
  unitPriceUsd: number;
  /** What the upstream takes for one unit, USD. */
  upstreamCostUsd: number;
  /** The retail price that the service suggests for one unit, USD. */
  suggestedRetailUsd: number;
  /** Whether the resolution is on offer. */
  enabled: boolean;
}

/**
 * The prices of a model; which of them counts follows from how the model is billed. Specification:
 * Pricing object.
 */
export interface Prices {
  /**
   * What one unit costs, USD: an image, a second of video, a character of speech, a piece of music.
   */
  unitPriceUsd: number;
  /** What 1000 input tokens cost, USD. */
  inputPricePer1kUsd: number;
  /** What 1000 output tokens cost, USD. */
  outputPricePer1kUsd: number;
  /** Prices by resolution, where they differ. */
  resolutionPrices: ResolutionPrice[];
}

/**
 * The prices of one way to buy, and how they are billed. Specification: Pricing object,
 * `profiles.api`.
 */
export interface PricingProfile extends Prices {
  /** What one request is likely to cost, USD. */
  estimatedChargeUsd: number;
  /** What one unit is. */
  billingUnit: Open<'image' | 'second'>;
  /** The way to buy that the prices are for. */
  priceContext: Open<'api'>;
  /** Id of the rule that the prices come from. */
  pricingRuleId: string;
  /** Where the prices come from. */
  source: string;
  /** The price written out, for people. */
  text: string;
}

/** The prices by way to buy. Specification: Pricing object, `profiles`. */
export interface PricingProfiles {
  /** The prices of this API. */
  api: PricingProfile;
}

/** What a model costs. Specification: Pricing object. */
export interface Pricing extends Prices {
  /** The way to buy that the prices are for. */
  priceContext: Open<'api'>;
  /** The prices by way to buy. */
  profiles: PricingProfiles;
  /** Where the prices come from. */
  source: string;
  /** The price written out, for people. */
  text: string;
  /** The unit written out, for people. */
  unitText: string;
  /** Id of the rule that the prices come from. */
  ruleId: string;
}

const resolutionPricesRecord = /* @__PURE__ */ (() =>
  z.array(
    recordSchema<ResolutionPrice>({
      resolution: z.string(),
      unitPriceUsd: z.number(),
      upstreamCostUsd: z.number(),
      suggestedRetailUsd: z.number(),
      enabled: z.boolean(),
    }),
  ))();

export const pricingRecord = /* @__PURE__ */ (() =>
  recordSchema<Pricing>({
    unitPriceUsd: z.number(),
    inputPricePer1kUsd: z.number(),
    outputPricePer1kUsd: z.number(),
    resolutionPrices: resolutionPricesRecord,
    priceContext: openString<'api'>(),
    profiles: recordSchema<PricingProfiles>({
      api: recordSchema<PricingProfile>({
        unitPriceUsd: z.number(),
        inputPricePer1kUsd: z.number(),
        outputPricePer1kUsd: z.number(),
        resolutionPrices: resolutionPricesRecord,
        estimatedChargeUsd: z.number(),
        billingUnit: openString<'image'>(),
        priceContext: openString<'api'>(),
        pricingRuleId: z.string(),
        source: z.string(),
        text: z.string(),
      }),
    }),
    source: z.string(),
    text: z.string(),
    unitText: z.string(),
    ruleId: z.string(),
  }))();

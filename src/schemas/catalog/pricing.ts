import * as z from 'zod/mini';

import type {
  Pricing,
  PricingProfile,
  PricingProfiles,
  ResolutionPrice,
} from '../../types/catalog/pricing.ts';
import { openString, recordSchema } from '../record-schema.ts';

const resolutionPricesRecord = z.array(
  recordSchema<ResolutionPrice>({
    resolution: z.string(),
    unitPriceUsd: z.number(),
    upstreamCostUsd: z.number(),
    suggestedRetailUsd: z.number(),
    enabled: z.boolean(),
  }),
);

export const pricingRecord = recordSchema<Pricing>({
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
});

import * as z from 'zod/mini';

import * as docs from '../docs/catalog.ts';
import { openString, recordSchema } from '../record-schema.ts';

const resolutionPricesRecord = z.array(
  recordSchema(docs.resolutionPrice, {
    resolution: z.string(),
    unitPriceUsd: z.number(),
    upstreamCostUsd: z.number(),
    suggestedRetailUsd: z.number(),
    enabled: z.boolean(),
  }),
);

export const pricingRecord = recordSchema(docs.pricing, {
  unitPriceUsd: z.number(),
  inputPricePer1kUsd: z.number(),
  outputPricePer1kUsd: z.number(),
  resolutionPrices: resolutionPricesRecord,
  priceContext: openString<'api'>(),
  profiles: recordSchema(docs.pricingProfiles, {
    api: recordSchema(docs.pricingProfile, {
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

export const pricingCatalogRecord = recordSchema(docs.pricingCatalog, {
  object: z.optional(openString<'pricing.catalog'>()),
  type: z.optional(openString<'all'>()),
  currency: z.optional(openString<'USD'>()),
  data: z.optional(
    z.array(
      recordSchema(docs.pricingCatalogEntry, {
        id: z.optional(z.string()),
        type: z.optional(openString<'chat'>()),
        pricing: z.optional(pricingRecord),
      }),
    ),
  ),
});

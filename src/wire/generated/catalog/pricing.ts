// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { openString, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { Pricing, PricingCatalog, PricingCatalogEntry, PricingProfile, PricingProfiles, ResolutionPrice } from '../../types/catalog/pricing.ts';

const resolutionPrice: Schema<ResolutionPrice> = recordSchema({
  resolution: ["Resolution, such as `1K` or `720p`.", z.string()],
  unitPriceUsd: ["Price per unit in USD.", z.number()],
  upstreamCostUsd: ["Upstream cost per unit in USD.", z.number()],
  suggestedRetailUsd: ["Suggested retail price per unit in USD.", z.number()],
  enabled: ["Whether the resolution is available.", z.boolean()],
});

const pricingProfile: Schema<PricingProfile> = recordSchema({
  estimatedChargeUsd: ["Estimated charge in USD.", z.number()],
  billingUnit: ["Billing unit.", openString("image", "second")],
  priceContext: ["Context in which the prices apply; the only documented value is `api`.", openString("api")],
  pricingRuleId: ["Pricing rule id.", z.string()],
  source: ["Label of the price source.", z.string()],
  text: ["Price as display text.", z.string()],
  unitPriceUsd: ["Price in USD per unit: per image, second of video, character of speech, or music output.", z.number()],
  inputPricePer1kUsd: ["Price in USD per 1000 input tokens.", z.number()],
  outputPricePer1kUsd: ["Price in USD per 1000 output tokens.", z.number()],
  resolutionPrices: ["Prices per resolution.", z.array(resolutionPrice)],
});

const pricingProfiles: Schema<PricingProfiles> = recordSchema({
  api: ["Prices for API requests.", pricingProfile],
});

export const pricing: Schema<Pricing> = recordSchema({
  priceContext: ["Context in which the prices apply; the only documented value is `api`.", openString("api")],
  profiles: ["Pricing profiles.", pricingProfiles],
  source: ["Label of the price source.", z.string()],
  text: ["Price as display text.", z.string()],
  unitText: ["Unit as display text.", z.string()],
  ruleId: ["Pricing rule id.", z.string()],
  unitPriceUsd: ["Price in USD per unit: per image, second of video, character of speech, or music output.", z.number()],
  inputPricePer1kUsd: ["Price in USD per 1000 input tokens.", z.number()],
  outputPricePer1kUsd: ["Price in USD per 1000 output tokens.", z.number()],
  resolutionPrices: ["Prices per resolution.", z.array(resolutionPrice)],
});

const pricingCatalogEntry: Schema<PricingCatalogEntry> = recordSchema({
  id: ["Model id to use in requests.", z.optional(z.string())],
  type: ["Model type.", z.optional(openString("chat", "image", "video", "audio"))],
  pricing: ["Prices of the model.", z.optional(pricing)],
});

export const pricingCatalog: Schema<PricingCatalog> = recordSchema({
  object: ["Record type.", z.optional(openString("pricing.catalog"))],
  type: ["Model type that the catalog was filtered by.", z.optional(openString("all", "chat", "image", "video", "audio"))],
  currency: ["Currency of the prices.", z.optional(openString("USD"))],
  data: ["Models and their prices.", z.optional(z.array(pricingCatalogEntry))],
});

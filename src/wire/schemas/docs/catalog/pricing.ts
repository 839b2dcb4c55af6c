// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  Pricing,
  PricingCatalog,
  PricingCatalogEntry,
  PricingProfile,
  PricingProfiles,
  ResolutionPrice,
} from '../../../types/catalog/pricing.ts';
import type { Docs } from '../../record-schema.ts';

export const resolutionPrice: Docs<ResolutionPrice> = {
  fields: {
    resolution: 'Resolution, such as `1K` or `720p`.',
    unitPriceUsd: 'Price per unit in USD.',
    upstreamCostUsd: 'Upstream cost per unit in USD.',
    suggestedRetailUsd: 'Suggested retail price per unit in USD.',
    enabled: 'Whether the resolution is available.',
  },
};

export const pricingProfile: Docs<PricingProfile> = {
  fields: {
    estimatedChargeUsd: 'Estimated charge in USD.',
    billingUnit: 'Billing unit.',
    priceContext: 'Context in which the prices apply; the only documented value is `api`.',
    pricingRuleId: 'Pricing rule id.',
    source: 'Label of the price source.',
    text: 'Price as display text.',
    unitPriceUsd:
      'Price in USD per unit: per image, second of video, character of speech, or music output.',
    inputPricePer1kUsd: 'Price in USD per 1000 input tokens.',
    outputPricePer1kUsd: 'Price in USD per 1000 output tokens.',
    resolutionPrices: 'Prices per resolution.',
  },
};

export const pricingProfiles: Docs<PricingProfiles> = {
  fields: {
    api: 'Prices for API requests.',
  },
};

export const pricing: Docs<Pricing> = {
  fields: {
    priceContext: 'Context in which the prices apply; the only documented value is `api`.',
    profiles: 'Pricing profiles.',
    source: 'Label of the price source.',
    text: 'Price as display text.',
    unitText: 'Unit as display text.',
    ruleId: 'Pricing rule id.',
    unitPriceUsd:
      'Price in USD per unit: per image, second of video, character of speech, or music output.',
    inputPricePer1kUsd: 'Price in USD per 1000 input tokens.',
    outputPricePer1kUsd: 'Price in USD per 1000 output tokens.',
    resolutionPrices: 'Prices per resolution.',
  },
};

export const pricingCatalogEntry: Docs<PricingCatalogEntry> = {
  fields: {
    id: 'Model id to use in requests.',
    type: 'Model type.',
    pricing: 'Prices of the model.',
  },
};

export const pricingCatalog: Docs<PricingCatalog> = {
  fields: {
    object: 'Record type.',
    type: 'Model type that the catalog was filtered by.',
    currency: 'Currency of the prices.',
    data: 'Models and their prices.',
  },
};

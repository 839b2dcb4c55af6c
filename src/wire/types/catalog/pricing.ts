import type { OpenString } from '../schema.ts';

/** The types of models. Music and speech models are both `audio`. */
export const modelTypes = ['chat', 'image', 'video', 'audio'] as const;

/** A type of models. Music and speech models are both `audio`. */
export type ModelType = (typeof modelTypes)[number];

/** Price for one resolution. */
export interface ResolutionPrice {
  /** Resolution, such as `1K` or `720p`. */
  resolution: string;
  /** Price per unit in USD. */
  unitPriceUsd: number;
  /** Upstream cost per unit in USD. */
  upstreamCostUsd: number;
  /** Suggested retail price per unit in USD. */
  suggestedRetailUsd: number;
  /** Whether the resolution is available. */
  enabled: boolean;
}

/** Prices of a model. Which price applies depends on how the model is billed. */
export interface Prices {
  /** Price in USD per unit: per image, second of video, character of speech, or music output. */
  unitPriceUsd: number;
  /** Price in USD per 1000 input tokens. */
  inputPricePer1kUsd: number;
  /** Price in USD per 1000 output tokens. */
  outputPricePer1kUsd: number;
  /** Prices per resolution. */
  resolutionPrices: ResolutionPrice[];
}

/** Prices and billing details of one pricing profile. */
export interface PricingProfile extends Prices {
  /** Estimated charge in USD. */
  estimatedChargeUsd: number;
  /** Billing unit. */
  billingUnit: OpenString<'image' | 'second'>;
  /** Context in which the prices apply; the only documented value is `api`. */
  priceContext: OpenString<'api'>;
  /** Pricing rule id. */
  pricingRuleId: string;
  /** Label of the price source. */
  source: string;
  /** Price as display text. */
  text: string;
}

/** Pricing profiles of a model. */
export interface PricingProfiles {
  /** Prices for API requests. */
  api: PricingProfile;
}

/** Pricing of a model. */
export interface Pricing extends Prices {
  /** Context in which the prices apply; the only documented value is `api`. */
  priceContext: OpenString<'api'>;
  /** Pricing profiles. */
  profiles: PricingProfiles;
  /** Label of the price source. */
  source: string;
  /** Price as display text. */
  text: string;
  /** Unit as display text. */
  unitText: string;
  /** Pricing rule id. */
  ruleId: string;
}

/** Query parameters of the pricing catalog. */
export interface PricingQuery {
  /** Return only models of this type. */
  type?: OpenString<'all' | ModelType> | undefined;
}

/** Pricing of one model in the catalog. The service does not document this record, so any field can be absent. */
export interface PricingCatalogEntry {
  /** Model id to use in requests. */
  id?: string | undefined;
  /** Model type. */
  type?: OpenString<ModelType> | undefined;
  /** Prices of the model. */
  pricing?: Pricing | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Pricing of all models. The service does not document this record, so any field can be absent. */
export interface PricingCatalog {
  /** Record type. */
  object?: OpenString<'pricing.catalog'> | undefined;
  /** Model type that the catalog was filtered by. */
  type?: OpenString<'all' | ModelType> | undefined;
  /** Currency of the prices. */
  currency?: OpenString<'USD'> | undefined;
  /** Models and their prices. */
  data?: PricingCatalogEntry[] | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

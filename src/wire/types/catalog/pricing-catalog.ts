import type { OpenString } from '../schema.ts';
import type { Pricing } from './pricing.ts';

/** Query parameters of the pricing catalog. */
export interface PricingQuery {
  /** Return only models of this type. */
  type?: OpenString<'all' | 'chat' | 'image' | 'video' | 'audio'> | undefined;
}

/** Pricing of one model in the catalog. The service does not document this record, so any field can be absent. */
export interface PricingCatalogEntry {
  /** Model id to use in requests. */
  id?: string | undefined;
  /** Model type. */
  type?: OpenString<'chat' | 'image' | 'video' | 'audio'> | undefined;
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
  type?: OpenString<'all' | 'chat' | 'image' | 'video' | 'audio'> | undefined;
  /** Currency of the prices. */
  currency?: OpenString<'USD'> | undefined;
  /** Models and their prices. */
  data?: PricingCatalogEntry[] | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

import * as z from 'zod/mini';

import { pricingRecord } from './pricing.ts';
import type { Pricing } from './pricing.ts';
import { recordSchema, openString } from './record-schema.ts';
import { responseSchema } from './schema.ts';
import type { Open } from './schema.ts';

/** Which prices to tell. Specification: Public endpoints, GET /pricing. */
export interface PricingQuery {
  /** Only models of this type. */
  type?: Open<'all' | 'chat' | 'image' | 'video' | 'audio'> | undefined;
}

/** What one model costs. Specification: Public endpoints, GET /pricing; assumption A16. */
export interface PricingCatalogEntry {
  /** Model id, as requests name it. */
  id?: string | undefined;
  /** What the model makes. */
  type?: Open<'chat' | 'image' | 'video' | 'audio'> | undefined;
  /** What the model costs. */
  pricing?: Pricing | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

/** What every model costs. Specification: Public endpoints, GET /pricing; assumption A16. */
export interface PricingCatalog {
  /** Kind of record. */
  object?: Open<'pricing.catalog'> | undefined;
  /** The type of model that was asked for. */
  type?: Open<'all' | 'chat' | 'image' | 'video' | 'audio'> | undefined;
  /** Currency of the prices. */
  currency?: Open<'USD'> | undefined;
  /** The models. */
  data?: PricingCatalogEntry[] | undefined;
  /** Fields the service adds are kept. */
  [field: string]: unknown;
}

export const pricingCatalogRecord = /* @__PURE__ */ (() =>
  recordSchema<PricingCatalog>({
    object: z.optional(openString<'pricing.catalog'>()),
    type: z.optional(openString<'all'>()),
    currency: z.optional(openString<'USD'>()),
    data: z.optional(
      z.array(
        recordSchema<PricingCatalogEntry>({
          id: z.optional(z.string()),
          type: z.optional(openString<'chat'>()),
          pricing: z.optional(pricingRecord),
        }),
      ),
    ),
  }))();

export const pricingCatalogSchema = /* @__PURE__ */ responseSchema<PricingCatalog>({});

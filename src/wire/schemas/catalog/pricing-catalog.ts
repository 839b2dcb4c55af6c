import * as z from 'zod/mini';

import * as docs from '../docs/catalog.ts';
import { openString, recordSchema } from '../record-schema.ts';
import { pricingRecord } from './pricing.ts';

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

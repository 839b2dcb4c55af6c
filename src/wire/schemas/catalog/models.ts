import type { Model } from 'polygate';
import * as z from 'zod/mini';

import * as docs from '../docs/catalog.ts';
import { openString, recordSchema } from '../record-schema.ts';
import { pricingRecord } from './pricing.ts';

/** A model with its prices. Unknown fields are kept. */
export const modelRecord: z.ZodMiniType<Model, Model> = recordSchema(docs.model, {
  id: z.string(),
  object: z.literal('model'),
  created: z.number(),
  owned_by: z.string(),
  type: openString<'chat'>(),
  description: z.string(),
  pricing: pricingRecord,
});

export const modelListRecord = recordSchema(docs.modelListRecord, {
  object: z.literal('list'),
  data: z.array(modelRecord),
});

export const anthropicModelListRecord = recordSchema(docs.anthropicModelList, {
  data: z.array(
    recordSchema(docs.anthropicModel, {
      id: z.string(),
      type: z.literal('model'),
      display_name: z.string(),
      created_at: z.string(),
    }),
  ),
  first_id: z.nullable(z.string()),
  last_id: z.nullable(z.string()),
  has_more: z.boolean(),
});

export const geminiModelListRecord = recordSchema(docs.geminiModelList, {
  models: z.array(recordSchema(docs.geminiModel, { name: z.string(), displayName: z.string() })),
  nextPageToken: z.nullable(z.string()),
});

const text = z.optional(z.string());
const texts = z.optional(z.array(z.string()));

export const capabilitiesRecord = recordSchema(docs.capabilities, {
  object: z.optional(openString<'service.capabilities'>()),
  version: text,
  endpoints: z.optional(
    z.array(
      recordSchema(docs.capabilityEndpoint, {
        method: text,
        path: text,
        auth: z.optional(z.boolean()),
      }),
    ),
  ),
  modalities: texts,
  locales: texts,
  currencies: texts,
  idempotency: z.optional(
    recordSchema(docs.capabilityIdempotency, { header: text, materialsHeader: text }),
  ),
  webhooks: z.optional(
    recordSchema(docs.capabilityWebhooks, { enabled: z.optional(z.boolean()), events: texts }),
  ),
  limits: z.optional(z.record(z.string(), z.unknown())),
});

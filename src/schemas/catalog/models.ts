import * as z from 'zod/mini';

import type {
  AnthropicModel,
  AnthropicModelList,
  GeminiModel,
  GeminiModelList,
  Model,
  ModelListRecord,
} from '../../types/catalog/models.ts';
import { openString, recordSchema } from '../record-schema.ts';
import { pricingRecord } from './pricing.ts';

export const modelRecord = recordSchema<Model>({
  id: z.string(),
  object: z.literal('model'),
  created: z.number(),
  owned_by: z.string(),
  type: openString<'chat'>(),
  description: z.string(),
  pricing: pricingRecord,
});

export const modelListRecord = recordSchema<ModelListRecord>({
  object: z.literal('list'),
  data: z.array(modelRecord),
});

export const anthropicModelListRecord = recordSchema<AnthropicModelList>({
  data: z.array(
    recordSchema<AnthropicModel>({
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

export const geminiModelListRecord = recordSchema<GeminiModelList>({
  models: z.array(recordSchema<GeminiModel>({ name: z.string(), displayName: z.string() })),
  nextPageToken: z.nullable(z.string()),
});

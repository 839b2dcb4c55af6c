import * as z from 'zod/mini';

import { pricingRecord } from './pricing.ts';
import type { Pricing } from './pricing.ts';
import { recordSchema, openString } from './record-schema.ts';
import { arrayField, responseSchema, stringField } from './schema.ts';
import type { Open } from './schema.ts';

/** A model of the catalogue. Specification: Model. */
export interface Model {
  /** Model id, as requests name it; it may contain slashes. */
  id: string;
  /** Kind of record. */
  object: 'model';
  /** Creation timestamp, where the service knows it; it may be 0. */
  created: number;
  /** Who offers the model. */
  owned_by: string;
  /** What the model makes. */
  type: Open<'chat' | 'image' | 'video' | 'audio'>;
  /** What the model is, for people. */
  description: string;
  /** What the model costs. */
  pricing: Pricing;
}

/** The catalogue as the service sends it. Specification: Endpoints, GET /models. */
export interface ModelListRecord {
  /** Kind of record. */
  object: 'list';
  /** The models that the key may use. */
  data: Model[];
}

/**
 * The catalogue: `for (const model of list)` goes over `data`. Specification: Endpoints, GET
 * /models.
 */
export interface ModelList extends ModelListRecord, Iterable<Model> {}

/** A model in Anthropic's style. Specification: Endpoints, GET /models; assumption A17. */
export interface AnthropicModel {
  /** Model id, as requests name it. */
  id: string;
  /** Kind of record. */
  type: 'model';
  /** Name of the model, for people. */
  display_name: string;
  /** When the model was made, ISO 8601. */
  created_at: string;
}

/** The catalogue in Anthropic's style. Specification: Endpoints, GET /models; assumption A17. */
export interface AnthropicModelList {
  /** The models that the key may use. */
  data: AnthropicModel[];
  /** Id of the first model of this page; null without one. */
  first_id: string | null;
  /** Id of the last model of this page; null without one. */
  last_id: string | null;
  /** Whether there are more models after this page. */
  has_more: boolean;
}

/** A model in Gemini's style. Specification: Endpoints, GET /models; assumption A17. */
export interface GeminiModel {
  /** Name of the model, as requests give it. */
  name: string;
  /** Name of the model, for people. */
  displayName: string;
}

/** The catalogue in Gemini's style. Specification: Endpoints, GET /models; assumption A17. */
export interface GeminiModelList {
  /** The models that the key may use. */
  models: GeminiModel[];
  /** Where the next page begins; null at the end. */
  nextPageToken: string | null;
}

export const modelRecord = /* @__PURE__ */ (() =>
  recordSchema<Model>({
    id: z.string(),
    object: z.literal('model'),
    created: z.number(),
    owned_by: z.string(),
    type: openString<'chat'>(),
    description: z.string(),
    pricing: pricingRecord,
  }))();

export const modelSchema = /* @__PURE__ */ responseSchema<Model>({ id: stringField });

export const modelListRecord = /* @__PURE__ */ (() =>
  recordSchema<ModelListRecord>({
    object: z.literal('list'),
    data: z.array(modelRecord),
  }))();

export const modelListSchema = /* @__PURE__ */ responseSchema<ModelListRecord>({
  data: arrayField(modelSchema),
});

export const anthropicModelListRecord = /* @__PURE__ */ (() =>
  recordSchema<AnthropicModelList>({
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
  }))();

export const anthropicModelListSchema = /* @__PURE__ */ responseSchema<AnthropicModelList>({
  data: arrayField(responseSchema<AnthropicModel>({ id: stringField })),
});

export const geminiModelListRecord = /* @__PURE__ */ (() =>
  recordSchema<GeminiModelList>({
    models: z.array(recordSchema<GeminiModel>({ name: z.string(), displayName: z.string() })),
    nextPageToken: z.nullable(z.string()),
  }))();

export const geminiModelListSchema = /* @__PURE__ */ responseSchema<GeminiModelList>({
  models: arrayField(responseSchema<GeminiModel>({ name: stringField })),
});

import { arrayField, responseSchema, stringField } from '../schema.ts';
import type { OpenString } from '../schema.ts';
import type { Pricing } from './pricing.ts';

/** A model in the catalog. */
export interface Model {
  /** Model id to use in requests. May contain slashes. */
  id: string;
  /** Record type. */
  object: 'model';
  /** Creation time in Unix seconds, if available; may be 0. */
  created: number;
  /** Owner or provider of the model. */
  owned_by: string;
  /** Model type. */
  type: OpenString<'chat' | 'image' | 'video' | 'audio'>;
  /** Human-readable description. */
  description: string;
  /** Prices of the model. */
  pricing: Pricing;
}

/** The model list as sent by the service. */
export interface ModelListRecord {
  /** Record type. */
  object: 'list';
  /** Models available to the API key. */
  data: Model[];
}

/** The model list. `for (const model of list)` iterates over `data`. */
export interface ModelList extends ModelListRecord, Iterable<Model> {}

/**
 * A model in an Anthropic-style list. The service does not document the fields of this style; they are those of the API
 * that it follows.
 */
export interface AnthropicModel {
  /** Model id to use in requests. */
  id: string;
  /** Record type. */
  type: 'model';
  /** Human-readable name. */
  display_name: string;
  /** Creation time (ISO 8601). */
  created_at: string;
}

/**
 * Anthropic-style model list. The service does not document the fields of this style; they are those of the API that it
 * follows.
 */
export interface AnthropicModelList {
  /** Models available to the API key. */
  data: AnthropicModel[];
  /** Id of the first model on this page; null if the page is empty. */
  first_id: string | null;
  /** Id of the last model on this page; null if the page is empty. */
  last_id: string | null;
  /** Whether more models follow this page. */
  has_more: boolean;
}

/**
 * A model in a Gemini-style list. The service does not document the fields of this style; they are those of the API
 * that it follows.
 */
export interface GeminiModel {
  /** Model name to use in requests. */
  name: string;
  /** Human-readable name. */
  displayName: string;
}

/**
 * Gemini-style model list. The service does not document the fields of this style; they are those of the API that it
 * follows.
 */
export interface GeminiModelList {
  /** Models available to the API key. */
  models: GeminiModel[];
  /** Token for the next page; null on the last page. */
  nextPageToken: string | null;
}

export const modelSchema = /* @__PURE__ */ responseSchema<Model>({ id: stringField });

export const modelListSchema = /* @__PURE__ */ responseSchema<ModelListRecord>({
  data: arrayField(modelSchema),
});

export const anthropicModelListSchema = /* @__PURE__ */ responseSchema<AnthropicModelList>({
  data: arrayField(responseSchema<AnthropicModel>({ id: stringField })),
});

export const geminiModelListSchema = /* @__PURE__ */ responseSchema<GeminiModelList>({
  models: arrayField(responseSchema<GeminiModel>({ name: stringField })),
});

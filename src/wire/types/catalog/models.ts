import { arrayField, responseSchema, stringField, unchecked } from '../schema.ts';
import type { OpenString } from '../schema.ts';
import type { ModelType, Pricing } from './pricing.ts';

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
  type: OpenString<ModelType>;
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
  /**
   * Creation time (ISO 8601).
   * @format date-time
   */
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

/** One endpoint of the service. The service does not document this record, so any field can be absent. */
export interface CapabilityEndpoint {
  /** HTTP method. */
  method?: string | undefined;
  /** Path template. */
  path?: string | undefined;
  /** Whether the endpoint requires an API key. */
  auth?: boolean | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Names of the idempotency key headers. The service does not document this record, so any field can be absent. */
export interface CapabilityIdempotency {
  /** Header for generation requests. */
  header?: string | undefined;
  /** Header for material requests. */
  materialsHeader?: string | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Webhook support. The service does not document this record, so any field can be absent. */
export interface CapabilityWebhooks {
  /** Whether webhooks are enabled. */
  enabled?: boolean | undefined;
  /** Event types. */
  events?: string[] | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/** Capabilities of the service. The service does not document this record, so any field can be absent. */
export interface Capabilities {
  /** Record type. */
  object?: OpenString<'service.capabilities'> | undefined;
  /** Service version, such as `2026.05`. */
  version?: string | undefined;
  /** Available endpoints. */
  endpoints?: CapabilityEndpoint[] | undefined;
  /** Supported modalities, such as `image`. */
  modalities?: string[] | undefined;
  /** Supported locales, such as `en-US`. */
  locales?: string[] | undefined;
  /** Supported currencies, such as `USD`. */
  currencies?: string[] | undefined;
  /** Names of the idempotency key headers. */
  idempotency?: CapabilityIdempotency | undefined;
  /** Webhook support. */
  webhooks?: CapabilityWebhooks | undefined;
  /** Limits, keyed by name. */
  limits?: Record<string, unknown> | undefined;
  /** Additional fields are kept. */
  [field: string]: unknown;
}

/**
 * The models of your API key, by type. Empty until `npx polygate types` writes a file that adds them, with their prices
 * as comments. From then on, only their ids compile as `model`, and an editor offers them.
 */
export interface ModelCatalog {}

declare const isCustom: unique symbol;

/** The id of a model that is not in the {@link ModelCatalog}; see {@link customModel}. */
export type CustomModel = string & { readonly [isCustom]: true };

/**
 * The id of a model of a type.
 *
 * - If the {@link ModelCatalog} has models of the type: one of their ids, or a {@link CustomModel}.
 * - While it has none: any string.
 */
export type ModelId<Type extends ModelType> =
  ModelCatalog extends Record<Type, infer Models> ? (keyof Models & string) | CustomModel : string;

/**
 * A resolution for models of a type.
 *
 * - If models of the type have prices per resolution in the {@link ModelCatalog}: an editor offers these resolutions, and
 *   any other string compiles, because the service ignores case.
 * - Otherwise: any string.
 */
export type ModelResolution<Type extends ModelType> =
  ModelCatalog extends Record<Type, infer Models>
    ? [Models[keyof Models]] extends [never]
      ? string
      : OpenString<Models[keyof Models] & string>
    : string;

/**
 * Returns the id of a model that is not in the {@link ModelCatalog}, such as one from a configuration file, or an image
 * model in a chat. The id is not checked.
 *
 * @example
 * ```ts
 * await gateway.images.generate({ model: customModel(settings.model), prompt: 'A harbor' });
 * ```
 */
export function customModel(id: string): CustomModel {
  return unchecked(id);
}

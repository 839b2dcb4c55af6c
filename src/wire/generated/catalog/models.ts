// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.
import * as z from 'zod/mini';

import { openString, recordSchema } from '../../schemas/record-schema.ts';
import type { Schema } from '../../schemas/record-schema.ts';
import type { AnthropicModel, AnthropicModelList, Capabilities, CapabilityEndpoint, CapabilityIdempotency, CapabilityWebhooks, GeminiModel, GeminiModelList, Model, ModelListRecord } from '../../types/catalog/models.ts';
import { pricing } from '../catalog/pricing.ts';

export const model: Schema<Model> = recordSchema({
  id: ["Model id to use in requests. May contain slashes.", z.string()],
  object: ["Record type.", z.literal("model")],
  created: ["Creation time in Unix seconds, if available; may be 0.", z.number()],
  owned_by: ["Owner or provider of the model.", z.string()],
  type: ["Model type.", openString("chat", "image", "video", "audio")],
  description: ["Human-readable description.", z.string()],
  pricing: ["Prices of the model.", pricing],
});

export const modelListRecord: Schema<ModelListRecord> = recordSchema({
  object: ["Record type.", z.literal("list")],
  data: ["Models available to the API key.", z.array(model)],
});

const anthropicModel: Schema<AnthropicModel> = recordSchema({
  id: ["Model id to use in requests.", z.string()],
  type: ["Record type.", z.literal("model")],
  display_name: ["Human-readable name.", z.string()],
  created_at: ["Creation time (ISO 8601).", z.string()],
});

export const anthropicModelList: Schema<AnthropicModelList> = recordSchema({
  data: ["Models available to the API key.", z.array(anthropicModel)],
  first_id: ["Id of the first model on this page; null if the page is empty.", z.nullable(z.string())],
  last_id: ["Id of the last model on this page; null if the page is empty.", z.nullable(z.string())],
  has_more: ["Whether more models follow this page.", z.boolean()],
});

export const anthropicModelListKeywords = {
  "data[].created_at": {
    "format": "date-time"
  }
} as const;

const geminiModel: Schema<GeminiModel> = recordSchema({
  name: ["Model name to use in requests.", z.string()],
  displayName: ["Human-readable name.", z.string()],
});

export const geminiModelList: Schema<GeminiModelList> = recordSchema({
  models: ["Models available to the API key.", z.array(geminiModel)],
  nextPageToken: ["Token for the next page; null on the last page.", z.nullable(z.string())],
});

const capabilityEndpoint: Schema<CapabilityEndpoint> = recordSchema({
  method: ["HTTP method.", z.optional(z.string())],
  path: ["Path template.", z.optional(z.string())],
  auth: ["Whether the endpoint requires an API key.", z.optional(z.boolean())],
});

const capabilityIdempotency: Schema<CapabilityIdempotency> = recordSchema({
  header: ["Header for generation requests.", z.optional(z.string())],
  materialsHeader: ["Header for material requests.", z.optional(z.string())],
});

const capabilityWebhooks: Schema<CapabilityWebhooks> = recordSchema({
  enabled: ["Whether webhooks are enabled.", z.optional(z.boolean())],
  events: ["Event types.", z.optional(z.array(z.string()))],
});

export const capabilities: Schema<Capabilities> = recordSchema({
  object: ["Record type.", z.optional(openString("service.capabilities"))],
  version: ["Service version, such as `2026.05`.", z.optional(z.string())],
  endpoints: ["Available endpoints.", z.optional(z.array(capabilityEndpoint))],
  modalities: ["Supported modalities, such as `image`.", z.optional(z.array(z.string()))],
  locales: ["Supported locales, such as `en-US`.", z.optional(z.array(z.string()))],
  currencies: ["Supported currencies, such as `USD`.", z.optional(z.array(z.string()))],
  idempotency: ["Names of the idempotency key headers.", z.optional(capabilityIdempotency)],
  webhooks: ["Webhook support.", z.optional(capabilityWebhooks)],
  limits: ["Limits, keyed by name.", z.optional(z.record(z.string(), z.unknown()))],
});

// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  AnthropicModel,
  AnthropicModelList,
  Capabilities,
  CapabilityEndpoint,
  CapabilityIdempotency,
  CapabilityWebhooks,
  GeminiModel,
  GeminiModelList,
  Model,
  ModelListRecord,
} from '../../../types/catalog/models.ts';
import type { Docs } from '../../record-schema.ts';

export const model: Docs<Model> = {
  fields: {
    id: 'Model id to use in requests. May contain slashes.',
    object: 'Record type.',
    created: 'Creation time in Unix seconds, if available; may be 0.',
    owned_by: 'Owner or provider of the model.',
    type: 'Model type.',
    description: 'Human-readable description.',
    pricing: 'Prices of the model.',
  },
};

export const modelListRecord: Docs<ModelListRecord> = {
  fields: {
    object: 'Record type.',
    data: 'Models available to the API key.',
  },
};

export const anthropicModel: Docs<AnthropicModel> = {
  fields: {
    id: 'Model id to use in requests.',
    type: 'Record type.',
    display_name: 'Human-readable name.',
    created_at: 'Creation time (ISO 8601).',
  },
};

export const anthropicModelList: Docs<AnthropicModelList> = {
  fields: {
    data: 'Models available to the API key.',
    first_id: 'Id of the first model on this page; null if the page is empty.',
    last_id: 'Id of the last model on this page; null if the page is empty.',
    has_more: 'Whether more models follow this page.',
  },
};

export const geminiModel: Docs<GeminiModel> = {
  fields: {
    name: 'Model name to use in requests.',
    displayName: 'Human-readable name.',
  },
};

export const geminiModelList: Docs<GeminiModelList> = {
  fields: {
    models: 'Models available to the API key.',
    nextPageToken: 'Token for the next page; null on the last page.',
  },
};

export const capabilityEndpoint: Docs<CapabilityEndpoint> = {
  fields: {
    method: 'HTTP method.',
    path: 'Path template.',
    auth: 'Whether the endpoint requires an API key.',
  },
};

export const capabilityIdempotency: Docs<CapabilityIdempotency> = {
  fields: {
    header: 'Header for generation requests.',
    materialsHeader: 'Header for material requests.',
  },
};

export const capabilityWebhooks: Docs<CapabilityWebhooks> = {
  fields: {
    enabled: 'Whether webhooks are enabled.',
    events: 'Event types.',
  },
};

export const capabilities: Docs<Capabilities> = {
  fields: {
    object: 'Record type.',
    version: 'Service version, such as `2026.05`.',
    endpoints: 'Available endpoints.',
    modalities: 'Supported modalities, such as `image`.',
    locales: 'Supported locales, such as `en-US`.',
    currencies: 'Supported currencies, such as `USD`.',
    idempotency: 'Names of the idempotency key headers.',
    webhooks: 'Webhook support.',
    limits: 'Limits, keyed by name.',
  },
};

import * as z from 'zod/mini';

import {
  anthropicModelListRecord,
  geminiModelListRecord,
  modelListRecord,
  modelRecord,
} from '../../../schemas/catalog/models.ts';
import { pricingRecord } from '../../../schemas/catalog/pricing.ts';
import type { FieldDocs, TagDocs } from '../docs.ts';

/** Documents the price fields, which a model's pricing and its profiles share. */
function prices(prefix: string): Record<string, FieldDocs> {
  const fields: Record<string, FieldDocs> = {
    unitPriceUsd:
      'Price per unit in USD. The unit is an image, a second of video, a character of speech or a music output.',
    inputPricePer1kUsd: 'Price per 1000 input tokens in USD.',
    outputPricePer1kUsd: 'Price per 1000 output tokens in USD.',
    resolutionPrices: 'Prices by resolution.',
    'resolutionPrices[].resolution': 'Resolution, such as `1K` or `720p`.',
    'resolutionPrices[].unitPriceUsd': 'Price per unit in USD.',
    'resolutionPrices[].upstreamCostUsd': 'Upstream cost per unit in USD.',
    'resolutionPrices[].suggestedRetailUsd': 'Suggested retail price per unit in USD.',
    'resolutionPrices[].enabled': 'Whether the resolution is available.',
    priceContext: 'Context in which the prices apply: `api`.',
    source: 'Price source.',
    text: 'Human-readable price.',
  };
  return Object.fromEntries(Object.entries(fields).map(([name, docs]) => [prefix + name, docs]));
}

const modelDetailRecord = z.intersection(
  modelRecord,
  z.looseObject({
    request_interface: z.looseObject({ method: z.string(), path: z.string() }),
  }),
);

/** Specification: Model; Pricing object; Account and catalog. */
export const modelsDocs: TagDocs = {
  tag: { name: 'Models', description: 'Available models and their prices.' },
  operations: {
    'GET /v1/models': {
      id: 'listModels',
      description:
        'Lists the models that the API key can use. By default, the list is in the OpenAI style. With the headers `x-api-key` and `anthropic-version`, it is in the Anthropic style; with the header `x-goog-api-key` or the query parameter `key`, in the Gemini style. These keys authenticate the request in place of a bearer key; send only one of them, because each selects a style.',
      query: { key: 'API key, as sent by Gemini clients. Selects the Gemini style.' },
      headers: {
        'x-api-key': 'API key, as sent by Anthropic clients.',
        'anthropic-version': 'Any version. Together with `x-api-key`, selects the Anthropic style.',
        'x-goog-api-key': 'API key, as sent by Gemini clients. Selects the Gemini style.',
      },
      responses: {
        200: [
          'The models that the API key can use, in the requested style.',
          'ModelList',
          'AnthropicModelList',
          'GeminiModelList',
        ],
      },
    },
    'GET /v1/models/{model}': {
      id: 'getModel',
      description: 'Returns a model with its prices and request interface.',
      responses: { 200: ['The model.', 'ModelDetail'] },
      errorCodes: { 404: ['model_not_found'] },
    },
  },
  schemas: {
    Model: {
      schema: modelRecord,
      description: 'A model.',
      fields: {
        id: 'Model id, as used in requests. It can contain slashes.',
        object: 'Object type.',
        created: 'Creation time in Unix seconds, if known; can be 0.',
        owned_by: 'Owner or provider of the model.',
        type: 'Model type: `chat`, `image`, `video` or `audio`.',
        description: 'Human-readable description.',
      },
    },
    ModelDetail: {
      schema: modelDetailRecord,
      description: 'A model with its request interface.',
      fields: {
        request_interface: 'How to call the model.',
        'request_interface.method': 'HTTP method.',
        'request_interface.path': {
          description: 'Path of the endpoint.',
          example: '/v1/chat/completions',
        },
      },
    },
    Pricing: {
      schema: pricingRecord,
      description: 'Prices of a model. `profiles.api.billingUnit` determines which price applies.',
      fields: {
        ...prices(''),
        profiles: 'Prices by context.',
        'profiles.api': 'Prices for requests to this API.',
        ...prices('profiles.api.'),
        'profiles.api.estimatedChargeUsd': 'Estimated charge for a typical request in USD.',
        'profiles.api.billingUnit':
          'Billing unit: `image`, `second`, `token`, `character` or `audio`.',
        'profiles.api.pricingRuleId': 'Pricing rule id.',
        unitText: 'Human-readable unit.',
        ruleId: 'Pricing rule id.',
      },
    },
    ModelList: {
      schema: modelListRecord,
      description: 'The model list in the OpenAI style.',
      fields: { object: 'Object type.', data: 'Models that the API key can use.' },
    },
    AnthropicModelList: {
      schema: anthropicModelListRecord,
      description: 'The model list in the Anthropic style.',
      fields: {
        data: 'Models that the API key can use.',
        'data[].id': 'Model id, as used in requests.',
        'data[].type': 'Object type.',
        'data[].display_name': 'Display name.',
        'data[].created_at': { description: 'Creation time.', format: 'date-time' },
        first_id: 'Id of the first model on this page; null if there is none.',
        last_id: 'Id of the last model on this page; null if there is none.',
        has_more: 'Whether there are more pages.',
      },
    },
    GeminiModelList: {
      schema: geminiModelListRecord,
      description: 'The model list in the Gemini style.',
      fields: {
        models: 'Models that the API key can use.',
        'models[].name': '`models/` followed by the model id.',
        'models[].displayName': 'Display name.',
        nextPageToken: 'Token of the next page; null on the last page.',
      },
    },
  },
};

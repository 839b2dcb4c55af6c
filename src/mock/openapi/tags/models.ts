import * as z from 'zod/mini';

import {
  anthropicModelListRecord,
  geminiModelListRecord,
  modelListRecord,
  modelRecord,
} from '../../../schemas/models.ts';
import { pricingRecord } from '../../../schemas/pricing.ts';
import type { FieldDocs, TagDocs } from '../docs.ts';

/** The fields that the prices of a model and of each way to buy have in common. */
function prices(prefix: string): Record<string, FieldDocs> {
  const notes: Record<string, FieldDocs> = {
    unitPriceUsd:
      'Price of one unit, USD: an image, a second of video, a character of speech, a piece of music.',
    inputPricePer1kUsd: 'Price of 1000 input tokens, USD.',
    outputPricePer1kUsd: 'Price of 1000 output tokens, USD.',
    resolutionPrices: 'Prices by resolution, where they differ.',
    'resolutionPrices[].resolution': 'The resolution, such as `1K` or `720p`.',
    'resolutionPrices[].unitPriceUsd': 'Price of one unit at this resolution, USD.',
    'resolutionPrices[].upstreamCostUsd': 'What the upstream takes for it, USD.',
    'resolutionPrices[].suggestedRetailUsd': 'Suggested retail price, USD.',
    'resolutionPrices[].enabled': 'Whether the resolution is on offer.',
    priceContext: 'The way to buy that the prices are for, `api`.',
    source: 'Where the prices come from.',
    text: 'The price written out, for people.',
  };
  return Object.fromEntries(Object.entries(notes).map(([name, note]) => [prefix + name, note]));
}

const modelDetailRecord = z.intersection(
  modelRecord,
  z.looseObject({
    request_interface: z.looseObject({ method: z.string(), path: z.string() }),
  }),
);

/** Specification: Model; Pricing object; Account and catalog. */
export const modelsDocs: TagDocs = {
  tag: { name: 'Models', description: 'What can be asked for, and what it costs.' },
  operations: {
    'GET /v1/models': {
      id: 'listModels',
      description:
        "By default the list has OpenAI's style. With the headers `x-api-key` and `anthropic-version` it has Anthropic's, with the header `x-goog-api-key` or the query parameter `key` it has Gemini's; those keys authenticate as well as a bearer key does.",
      nativeKeys: true,
      query: { key: "The key, as clients of Gemini send it; asks for Gemini's style." },
      headers: {
        'x-api-key': 'The key, as clients of Anthropic send it.',
        'anthropic-version': "With `x-api-key`, asks for Anthropic's style; any version will do.",
        'x-goog-api-key': "The key, as clients of Gemini send it; asks for Gemini's style.",
      },
      responses: {
        200: [
          'The models that the key may use, in the style that was asked for.',
          'ModelList',
          'AnthropicModelList',
          'GeminiModelList',
        ],
      },
    },
    'GET /v1/models/{model}': {
      id: 'getModel',
      description: 'Slashes in a model id are sent as `%2F`.',
      responses: { 200: ['The model, its prices and how to ask it.', 'ModelDetail'] },
      errorCodes: { 404: ['model_not_found'] },
    },
  },
  schemas: {
    Model: {
      schema: modelRecord,
      description: 'A model of the catalogue.',
      fields: {
        id: 'Id of the model, for requests; it may hold slashes.',
        object: 'Kind of record.',
        created: 'Creation timestamp, if known; it may be 0.',
        owned_by: 'Who offers the model.',
        type: 'What the model makes: `chat`, `image`, `video` or `audio`.',
        description: 'What the model is, for people.',
      },
    },
    ModelDetail: {
      schema: modelDetailRecord,
      description: 'A model together with how to ask it.',
      fields: {
        request_interface: 'How to ask the model.',
        'request_interface.method': 'HTTP method.',
        'request_interface.path': { description: 'Path.', example: '/v1/chat/completions' },
      },
    },
    Pricing: {
      schema: pricingRecord,
      description:
        'What a model costs. Which of the prices counts follows from `profiles.api.billingUnit`.',
      fields: {
        ...prices(''),
        profiles: 'The prices by way to buy.',
        'profiles.api': 'The prices of this API.',
        ...prices('profiles.api.'),
        'profiles.api.estimatedChargeUsd': 'What one request is likely to cost, USD.',
        'profiles.api.billingUnit':
          'What one unit is: `image`, `second`, `token`, `character` or `audio`.',
        'profiles.api.pricingRuleId': 'Id of the rule that the prices come from.',
        unitText: 'The unit written out, for people.',
        ruleId: 'Id of the rule that the prices come from.',
      },
    },
    ModelList: {
      schema: modelListRecord,
      description: "The catalogue in OpenAI's style.",
      fields: { object: 'Kind of record.', data: 'The models that the key may use.' },
    },
    AnthropicModelList: {
      schema: anthropicModelListRecord,
      description: "The catalogue in Anthropic's style.",
      fields: {
        data: 'The models that the key may use.',
        'data[].id': 'Id of the model, for requests.',
        'data[].type': 'Kind of record.',
        'data[].display_name': 'Name of the model, for people.',
        'data[].created_at': { description: 'When the model was made.', format: 'date-time' },
        first_id: 'Id of the first model of this page; null without one.',
        last_id: 'Id of the last model of this page; null without one.',
        has_more: 'Whether there are models after this page.',
      },
    },
    GeminiModelList: {
      schema: geminiModelListRecord,
      description: "The catalogue in Gemini's style.",
      fields: {
        models: 'The models that the key may use.',
        'models[].name': '`models/` and the id of the model.',
        'models[].displayName': 'Name of the model, for people.',
        nextPageToken: 'Where the next page begins; null at the end.',
      },
    },
  },
};

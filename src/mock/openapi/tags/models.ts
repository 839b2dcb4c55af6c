import * as z from 'zod/mini';

import {
  anthropicModelListRecord,
  geminiModelListRecord,
  modelListRecord,
  modelRecord,
} from '../../../wire/schemas/catalog/models.ts';
import { pricingRecord } from '../../../wire/schemas/catalog/pricing.ts';
import { acceptedFields } from '../../../wire/schemas/params.ts';
import type { TagDocs } from '../docs.ts';

const modelDetailRecord = z.intersection(
  modelRecord,
  acceptedFields(
    { request_interface: 'How to call the model.' },
    {
      request_interface: acceptedFields(
        { method: 'HTTP method.', path: 'Path of the endpoint.' },
        { method: z.string(), path: z.string() },
      ),
    },
  ),
);

/** Specification: Model; Pricing object; Account and catalog. */
export const modelsDocs: TagDocs = {
  tag: { name: 'Models', description: 'Available models and their prices.' },
  operations: {
    'GET /v1/models': {
      id: 'listModels',
      description:
        'Lists the models that the API key can use. By default, the list is in the OpenAI style. With the headers `x-api-key` and `anthropic-version`, it is in the Anthropic style; with the header `x-goog-api-key` or the query parameter `key`, in the Gemini style. These keys authenticate the request instead of a bearer key; send only one of them, because each selects a style.',
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
    },
    ModelDetail: {
      schema: modelDetailRecord,
      description: 'A model with its request interface.',
      fields: { 'request_interface.path': { example: '/v1/chat/completions' } },
    },
    Pricing: {
      schema: pricingRecord,
      description: 'Prices of a model. `profiles.api.billingUnit` determines which price applies.',
    },
    ModelList: {
      schema: modelListRecord,
      description: 'The model list in the OpenAI style.',
    },
    AnthropicModelList: {
      schema: anthropicModelListRecord,
      description: 'The model list in the Anthropic style.',
      fields: { 'data[].created_at': { format: 'date-time' } },
    },
    GeminiModelList: {
      schema: geminiModelListRecord,
      description: 'The model list in the Gemini style.',
    },
  },
};

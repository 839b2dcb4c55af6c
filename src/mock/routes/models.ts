import * as z from 'zod/mini';

import * as shapes from '../../wire/generated/index.ts';
import { acceptedFields } from '../../wire/schemas/params.ts';
import type {
  Model,
  AnthropicModelList,
  GeminiModelList,
} from '../../wire/types/catalog/models.ts';
import { defineEndpoint, param, documented } from '../http/endpoint.ts';
import type { TagDocs } from '../http/endpoint.ts';
import { json, GatewayError } from '../http/response.ts';

const modelDetailRecord = z.intersection(
  shapes.model,
  acceptedFields({
    request_interface: [
      'How to call the model.',
      acceptedFields({
        method: ['HTTP method.', z.string()],
        path: ['Path of the endpoint.', z.string()],
      }),
    ],
  }),
);

/** Specification: Model; Pricing object; Account and catalog. */
const modelsDocs: TagDocs = {
  tag: { name: 'Models', description: 'Available models and their prices.' },
  schemas: {
    Model: {
      schema: shapes.model,
      description: 'A model.',
    },
    ModelDetail: {
      schema: modelDetailRecord,
      description: 'A model with its request interface.',
      fields: { 'request_interface.path': { example: '/v1/chat/completions' } },
    },
    Pricing: {
      schema: shapes.pricing,
      description: 'Prices of a model. `profiles.api.billingUnit` determines which price applies.',
    },
    ModelList: {
      schema: shapes.modelListRecord,
      description: 'The model list in the OpenAI style.',
    },
    AnthropicModelList: {
      schema: shapes.anthropicModelList,
      description: 'The model list in the Anthropic style.',
      keywords: shapes.anthropicModelListKeywords,
    },
    GeminiModelList: {
      schema: shapes.geminiModelList,
      description: 'The model list in the Gemini style.',
    },
  },
};

/** Specification: Account and catalog. */
export const modelRoutes = documented(modelsDocs, [
  defineEndpoint({
    method: 'GET',
    path: '/v1/models',
    summary: 'List models',
    id: 'listModels',
    description:
      'Lists the models that the API key can use. By default, the list is in the OpenAI style. With the headers `x-api-key` and `anthropic-version`, it is in the Anthropic style; with the header `x-goog-api-key` or the query parameter `key`, in the Gemini style. These keys authenticate the request instead of a bearer key; send only one of them, because each selects a style.',
    auth: 'any-key',
    query: { key: 'API key, as sent by Gemini clients. Selects the Gemini style.' },
    headers: {
      'x-api-key': 'API key, as sent by Anthropic clients.',
      'anthropic-version': 'Any version. Together with `x-api-key`, selects the Anthropic style.',
      'x-goog-api-key': 'API key, as sent by Gemini clients. Selects the Gemini style.',
    },
    responseSchema: shapes.modelListRecord,
    responses: {
      200: [
        'The models that the API key can use, in the requested style.',
        'ModelList',
        'AnthropicModelList',
        'GeminiModelList',
      ],
    },
    errors: [400, 401, 403],
    handle: ({ services, headers, query }) => {
      const { models } = services.catalog;
      if (headers.has('x-api-key') && headers.has('anthropic-version')) {
        return json(200, anthropicList(models));
      }
      if (headers.has('x-goog-api-key') || query.has('key')) return json(200, geminiList(models));
      return json(200, { object: 'list', data: models });
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/models/{model}',
    summary: 'Retrieve a model',
    id: 'getModel',
    description: 'Returns a model with its prices and request interface.',
    responseSchema: shapes.model,
    responses: { 200: ['The model.', 'ModelDetail'] },
    errors: [401, 403, 404],
    errorCodes: { 404: ['model_not_found'] },
    handle: (context) => {
      const id = param(context, 'model');
      const model = context.services.catalog.find(id);
      if (model === undefined) {
        throw new GatewayError(404, 'model_not_found', `The service has no model ${id}`);
      }
      // The specification mentions this metadata but not its fields.
      const request_interface = { method: 'POST', path: submitPaths[model.type] ?? '' };
      return json(200, { ...model, request_interface });
    },
  }),
]);

const submitPaths: Readonly<Record<string, string>> = {
  chat: '/v1/chat/completions',
  image: '/v1/images/tasks',
  video: '/v1/videos',
  audio: '/v1/audio/tasks',
};

/** Creates the Anthropic-style model list. Assumption A17. */
function anthropicList(models: readonly Model[]): AnthropicModelList {
  return {
    data: models.map((model) => ({
      type: 'model',
      id: model.id,
      display_name: displayName(model.id),
      created_at: new Date(model.created * 1000).toISOString(),
    })),
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
    has_more: false,
  };
}

/** Creates the Gemini-style model list. Assumption A17. */
function geminiList(models: readonly Model[]): GeminiModelList {
  return {
    models: models.map(({ id }) => ({ name: `models/${id}`, displayName: displayName(id) })),
    nextPageToken: null,
  };
}

/** Turns `tide-video` into `Tide Video`. */
function displayName(id: string): string {
  const words = (id.split('/').at(-1) ?? id).split('-');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

import { modelListRecord, modelRecord } from '../../wire/schemas/catalog/models.ts';
import type {
  Model,
  AnthropicModelList,
  GeminiModelList,
} from '../../wire/types/catalog/models.ts';
import { defineEndpoint, param } from '../http/endpoint.ts';
import { GatewayError, json } from '../http/response.ts';

/** Specification: Account and catalog. */
export const modelRoutes = [
  defineEndpoint({
    method: 'GET',
    path: '/v1/models',
    summary: 'List models',
    auth: 'any-key',
    query: ['key'],
    responseSchema: modelListRecord,
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
    responseSchema: modelRecord,
    errors: [401, 403, 404],
    handle: (context) => {
      const id = param(context, 'model');
      const model = context.services.catalog.find(id);
      if (model === undefined) {
        throw new GatewayError(404, 'model_not_found', `The service has no model ${id}`);
      }
      return json(200, { ...model, request_interface: requestInterface(model) });
    },
  }),
];

const submitPaths: Readonly<Record<string, string>> = {
  chat: '/v1/chat/completions',
  image: '/v1/images/tasks',
  video: '/v1/videos',
  audio: '/v1/audio/tasks',
};

/** Describes how to call the model. The specification mentions this metadata but not its fields. */
function requestInterface(model: Model): Record<string, unknown> {
  return { method: 'POST', path: submitPaths[model.type] ?? '' };
}

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

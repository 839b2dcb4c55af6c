import { modelListRecord, modelRecord } from '../../wire/schemas/catalog/models.ts';
import type { Model } from '../../wire/types/catalog/models.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { param } from '../http/request-context.ts';
import { GatewayError } from '../http/response/gateway-error.ts';
import { json } from '../http/response/response.ts';
import { anthropicList, geminiList } from '../models/list-styles.ts';

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

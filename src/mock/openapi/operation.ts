import type * as z from 'zod/mini';

import type { EndpointDescription } from '../http/endpoint-description.ts';
import type { JsonObject, OperationDocs } from './docs.ts';
import { errorResponses } from './errors.ts';
import { successHeaders } from './headers.ts';
import { operationParameters } from './parameters.ts';
import { schemaName, anyOf, reference } from './schemas.ts';
import { docsOf } from './tags/index.ts';

/** Creates the OpenAPI operation of an endpoint. */
export function operation(endpoint: EndpointDescription): JsonObject {
  const found = docsOf(endpoint.route);
  if (found === undefined) throw new TypeError(`${endpoint.route} is not documented`);
  const { tag, docs } = found;
  const { id, description } = docs;
  const { documentedBody } = endpoint;
  return {
    operationId: id,
    summary: endpoint.summary,
    description,
    tags: [tag],
    security: security(endpoint, docs),
    parameters: operationParameters(endpoint, docs),
    ...(documentedBody === undefined ? {} : { requestBody: requestBody(documentedBody, docs) }),
    responses: { ...successResponses(endpoint, docs), ...errorResponses(endpoint, docs) },
  };
}

function security(
  { auth }: EndpointDescription,
  { nativeKeys = false }: OperationDocs,
): JsonObject[] {
  if (auth === 'none') return [];
  return nativeKeys ? [{ bearer: [] }, {}] : [{ bearer: [] }];
}

function requestBody(schema: z.ZodMiniType, { examples = {} }: OperationDocs): JsonObject {
  const byName: JsonObject = Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [
      summary.toLowerCase().replaceAll(' ', '-'),
      { summary, value },
    ]),
  );
  return {
    required: true,
    content: { 'application/json': { schema: reference(schemaName(schema)), examples: byName } },
  };
}

function successResponses(
  endpoint: EndpointDescription,
  { responses, eventSchemas }: OperationDocs,
): JsonObject {
  const { status = 200, otherStatuses = [], responseSchema } = endpoint;
  return Object.fromEntries(
    [status, ...otherStatuses].map((code) => {
      const [description = 'Success.', ...schemas] = responses[code] ?? [];
      const content = {
        'application/json': {
          schema: anyOf(schemas.length > 0 ? schemas : [schemaName(responseSchema)]),
        },
        ...(eventSchemas === undefined
          ? {}
          : { 'text/event-stream': { schema: anyOf(eventSchemas) } }),
      };
      return [code, { description, headers: successHeaders(endpoint), content }];
    }),
  );
}

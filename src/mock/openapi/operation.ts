import type * as z from 'zod/mini';

import type { EndpointDescription } from '../http/endpoint-description.ts';
import type { JsonObject, OperationDocs } from './docs.ts';
import { errorResponses } from './errors.ts';
import { successHeaders } from './headers.ts';
import { operationParameters } from './parameters.ts';
import { schemaName, anyOf, reference } from './schemas.ts';
import { security } from './security.ts';
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
    security: security(endpoint.auth),
    parameters: operationParameters(endpoint, docs),
    ...(documentedBody === undefined ? {} : { requestBody: requestBody(documentedBody, docs) }),
    responses: { ...successResponses(endpoint, docs), ...errorResponses(endpoint, docs) },
  };
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
        ...(eventSchemas === undefined ? {} : { 'text/event-stream': eventStream(eventSchemas) }),
      };
      return [code, { description, headers: successHeaders(endpoint), content }];
    }),
  );
}

/**
 * In OpenAPI 3.0, the schema of an event stream describes its text as a whole, and validators such as Prism check it.
 * The extension holds the schema of the data of one event. Linters ignore extensions and would report the schema as
 * unused, so `not` refers to it as well; it is true of every text.
 */
function eventStream(eventSchemas: readonly string[]): JsonObject {
  const names = eventSchemas.map((name) => `\`${name}\``).join(' or ');
  const description = `Server-sent events. The \`data\` of each event is ${names} as JSON; \`data: [DONE]\` ends the stream.`;
  const events = anyOf(eventSchemas);
  return {
    schema: { type: 'string', description, not: events },
    'x-event-data-schema': events,
  };
}

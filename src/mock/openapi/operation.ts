import type * as z from 'zod/mini';

import type { Endpoint } from '../http/endpoint.ts';
import { errorResponses } from './errors.ts';
import { successHeaders } from './headers.ts';
import type { Json, OperationDocs } from './docs.ts';
import { docsOf } from './tags/index.ts';
import { operationParameters } from './parameters.ts';
import { nameOf, anyOf, reference } from './schemas.ts';

/** An endpoint in the words of OpenAPI. */
export function operation(endpoint: Endpoint): Json {
  const found = docsOf(endpoint.route);
  if (found === undefined) throw new TypeError(`No page describes ${endpoint.route}`);
  const { tag, notes } = found;
  const { id, description } = notes;
  const { shownBody } = endpoint;
  return {
    operationId: id,
    summary: endpoint.summary,
    description,
    tags: [tag],
    security: security(endpoint, notes),
    parameters: operationParameters(endpoint, notes),
    ...(shownBody === undefined ? {} : { requestBody: requestBody(shownBody, notes) }),
    responses: { ...successes(endpoint, notes), ...errorResponses(endpoint, notes) },
  };
}

function security({ auth }: Endpoint, { nativeKeys: otherKeys = false }: OperationDocs): Json[] {
  if (auth === 'none') return [];
  return otherKeys ? [{ bearer: [] }, {}] : [{ bearer: [] }];
}

function requestBody(schema: z.ZodMiniType, { examples = {} }: OperationDocs): Json {
  const named: Json = Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [
      summary.toLowerCase().replaceAll(' ', '-'),
      { summary, value },
    ]),
  );
  return {
    required: true,
    content: { 'application/json': { schema: reference(nameOf(schema)), examples: named } },
  };
}

function successes(
  endpoint: Endpoint,
  { responses: answers, eventSchemas: events }: OperationDocs,
): Json {
  const { status = 200, otherStatuses = [], reply } = endpoint;
  return Object.fromEntries(
    [status, ...otherStatuses].map((code) => {
      const [description = 'Success.', ...schemas] = answers[code] ?? [];
      const content = {
        'application/json': { schema: anyOf(schemas.length > 0 ? schemas : [nameOf(reply)]) },
        ...(events === undefined ? {} : { 'text/event-stream': { schema: anyOf(events) } }),
      };
      return [code, { description, headers: successHeaders(endpoint), content }];
    }),
  );
}

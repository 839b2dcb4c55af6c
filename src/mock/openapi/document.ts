import type * as z from 'zod/mini';

import type {
  Auth,
  EndpointDescription,
  JsonObject,
  ParameterDocs,
  RequestContext,
  TagDocs,
} from '../http/endpoint.ts';
import { errorResponses, successHeaders } from './responses.ts';
import { componentSchemas, tagsOf, schemaName, anyOf, reference } from './schemas.ts';

/** Version of the service. Specification: Versioning. */
export const version = '2026.05';

const introduction = `One gateway to many models: chat, images, video, music and speech, with one API key and one wallet.

**Authentication.** Send \`Authorization: Bearer sk-…\` with every request, except for operations with the Service tag. A missing or invalid key returns 401, a disabled key 403.

**Tasks.** Images, video, music and speech are generated asynchronously. Submit a task, store its id, and poll it every 2 to 5 seconds until its status is \`completed\`, \`succeeded\` or \`failed\`. Download results promptly: result URLs are not permanent.

**Billing.** The \`x-svc-charge-usd\` header reports the charge for a request. If the outcome of a request that submits a task is unknown, retry it with the same \`x-idempotency-key\`: if the task was created, the response contains it, and you are not charged again.

**Concurrency.** Chat and generation requests share one concurrency limit. The \`x-svc-concurrency-limit\` and \`x-svc-concurrency-remaining\` headers report it. Requests above the limit return 429.

**Errors.** Errors have the form \`{"error": {"message", "type", "code"}}\`, except those of the key balance endpoint. \`GET /v1/errors\` lists all codes.

**Compatibility.** New fields and new values of most string fields can be added at any time. Ignore fields and values that you do not recognize.`;

/** Creates the OpenAPI document from the same endpoint table that handles requests. */
export function openApiDocument({ origin, services }: RequestContext): JsonObject {
  const tags = tagsOf(services.endpoints);
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of services.endpoints) {
    if (endpoint.hidden === true) continue;
    const { path, method } = endpoint;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Model gateway',
      version,
      description: introduction,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: origin, description: 'The gateway that served this document' }],
    tags: tags.map(({ tag }) => tag).toSorted((a, b) => a.name.localeCompare(b.name)),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes,
      parameters: sharedParameters,
      schemas: componentSchemas(tags),
    },
  };
}

/** Creates the OpenAPI operation of an endpoint. */
function operation(endpoint: EndpointDescription): JsonObject {
  const { docs, id, summary, description, documentedBody, examples, route } = endpoint;
  if (!docs || id === undefined) throw new TypeError(`${route} is not documented`);
  return {
    operationId: id,
    summary,
    description,
    tags: [docs.tag.name],
    security: security(endpoint.auth),
    parameters: operationParameters(endpoint),
    ...(documentedBody && { requestBody: requestBody(documentedBody, docs, examples) }),
    responses: { ...successResponses(endpoint, docs), ...errorResponses(endpoint) },
  };
}

function requestBody(
  schema: z.ZodMiniType,
  docs: TagDocs,
  examples: EndpointDescription['examples'] = {},
): JsonObject {
  const byName: JsonObject = Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [
      summary.toLowerCase().replaceAll(' ', '-'),
      { summary, value },
    ]),
  );
  return {
    required: true,
    content: {
      'application/json': { schema: reference(schemaName(docs, schema)), examples: byName },
    },
  };
}

function successResponses(endpoint: EndpointDescription, docs: TagDocs): JsonObject {
  const { responses = {}, responseSchema, eventSchemas } = endpoint;
  return Object.fromEntries(
    Object.entries(responses).map(([status, [description, ...schemas]]) => {
      const content = {
        'application/json': {
          schema: anyOf(schemas.length > 0 ? schemas : [schemaName(docs, responseSchema)]),
        },
        ...(eventSchemas && { 'text/event-stream': eventStream(eventSchemas) }),
      };
      return [status, { description, headers: successHeaders(endpoint), content }];
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

/** The ways to send an API key. Specification: Authentication; assumption A17. */
const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'API key. Keys start with `sk-`.' },
  anthropicKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'API key, as sent by Anthropic clients.',
  },
  geminiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-goog-api-key',
    description: 'API key, as sent by Gemini clients.',
  },
  geminiQueryKey: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'API key, as sent by Gemini clients without the header.',
  },
};

/** Lists the schemes that an endpoint accepts, each as an alternative; none if it is public. */
function security(auth: Auth): JsonObject[] {
  if (auth === 'none') return [];
  const names = auth === 'any-key' ? Object.keys(securitySchemes) : ['bearer'];
  return names.map((name) => ({ [name]: [] }));
}

const keySchema = { type: 'string', minLength: 1, maxLength: 200, pattern: '^[!-~]+$' };

/** Header parameters that several endpoints share. */
const sharedParameters = {
  requestId: {
    name: 'x-request-id',
    in: 'header',
    description: 'Your own id for the request. The response returns it.',
    schema: { type: 'string' },
  },
  taskKey: {
    name: 'x-idempotency-key',
    in: 'header',
    description:
      'A unique key for this task. A request with the same key returns the existing task without charging again.',
    schema: keySchema,
  },
  plainKey: {
    name: 'x-idempotency-key',
    in: 'header',
    description:
      'A unique key for this request. It does not prevent a second charge: a request with the same key may be charged again.',
    schema: keySchema,
  },
  materialKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique key for this material. A request with the same key and body returns the existing material.',
    required: true,
    schema: keySchema,
  },
} as const;

const pathDescriptions: Readonly<Record<string, string>> = {
  code: 'Error code.',
  model: 'Model id. Encode slashes as `%2F`.',
  taskId: 'Task id.',
  material_id: 'Material id.',
};

/** Creates the path, query and header parameters of an endpoint. */
function operationParameters(endpoint: EndpointDescription): JsonObject[] {
  const { path, usesSlot, route, status, query = {}, headers = {} } = endpoint;
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  return [
    ...names.map((name) => ({
      ...parameter('path', name, pathDescriptions[name] ?? name),
      required: true,
    })),
    ...Object.entries(query).map(([name, docs]) => parameter('query', name, docs)),
    ...Object.entries(headers).map(([name, docs]) => parameter('header', name, docs)),
    sharedParameter('requestId'),
    ...(usesSlot ? [sharedParameter(status === 202 ? 'taskKey' : 'plainKey')] : []),
    ...(route === 'POST /v1/materials' ? [sharedParameter('materialKey')] : []),
  ];
}

function parameter(location: string, name: string, docs: ParameterDocs): JsonObject {
  const { description, ...schema } = typeof docs === 'string' ? { description: docs } : docs;
  return { name, in: location, description, schema: { type: 'string', ...schema } };
}

function sharedParameter(id: keyof typeof sharedParameters): JsonObject {
  return { $ref: `#/components/parameters/${id}` };
}

import type { EndpointDescription } from '../http/endpoint-description.ts';
import type { JsonObject, OperationDocs, ParameterDocs } from './docs.ts';

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

/** Returns the shared parameters, for `components`. */
export function componentParameters(): JsonObject {
  return { ...sharedParameters };
}

/** Creates the path, query and header parameters of an endpoint. */
export function operationParameters(
  endpoint: EndpointDescription,
  docs: OperationDocs,
): JsonObject[] {
  const { path, usesSlot, route, status, query = [] } = endpoint;
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  return [
    ...names.map((name) => ({
      ...parameter('path', name, pathDescriptions[name] ?? name),
      required: true,
    })),
    ...query.map((name) => parameter('query', name, docs.query?.[name] ?? name)),
    ...Object.entries(docs.headers ?? {}).map(([name, header]) =>
      parameter('header', name, header),
    ),
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

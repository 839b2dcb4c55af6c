import type { Endpoint } from '../http/endpoint.ts';
import { toSchemaFields } from './schemas.ts';
import type { Json, FieldDocs, OperationDocs } from './docs.ts';

const visible = { type: 'string', minLength: 1, maxLength: 200, pattern: '^[!-~]+$' };

/** Header parameters that several endpoints share. */
const shared = {
  requestId: {
    name: 'x-request-id',
    in: 'header',
    description: 'Your own id for the request: the answer carries it.',
    schema: { type: 'string' },
  },
  taskKey: {
    name: 'x-idempotency-key',
    in: 'header',
    description: 'The same key asks for the same task again, without another charge.',
    schema: visible,
  },
  plainKey: {
    name: 'x-idempotency-key',
    in: 'header',
    description: 'Your own key for the request. The same key may be charged again.',
    schema: visible,
  },
  materialKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key and body ask for the same material again.',
    required: true,
    schema: visible,
  },
} as const;

const pathNotes: Readonly<Record<string, string>> = {
  code: 'An error code.',
  model: 'Id of a model, its slashes encoded.',
  taskId: 'Id of a task.',
  material_id: 'Id of a material.',
};

export function componentParameters(): Json {
  return { ...shared };
}

/** Everything that a request may say outside of its body. */
export function operationParameters(endpoint: Endpoint, notes: OperationDocs): Json[] {
  const { path, slot, route, status, query = [] } = endpoint;
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  return [
    ...names.map((name) => ({
      ...parameter('path', name, pathNotes[name] ?? name),
      required: true,
    })),
    ...query.map((name) => parameter('query', name, notes.query?.[name] ?? name)),
    ...Object.entries(notes.headers ?? {}).map(([name, note]) => parameter('header', name, note)),
    point('requestId'),
    ...(slot ? [point(status === 202 ? 'taskKey' : 'plainKey')] : []),
    ...(route === 'POST /v1/materials' ? [point('materialKey')] : []),
  ];
}

function parameter(place: string, name: string, note: FieldDocs): Json {
  const { description, ...schema } = toSchemaFields(note);
  return { name, in: place, description, schema: { type: 'string', ...schema } };
}

function point(id: keyof typeof shared): Json {
  return { $ref: `#/components/parameters/${id}` };
}

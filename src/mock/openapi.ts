import * as z from 'zod/mini';

import { errorEnvelopeRecord, keyBalanceErrorEnvelopeRecord } from '../schemas/error-codes.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './endpoint.ts';
import { version } from './public-records.ts';
import { responseHeaders } from './response-headers.ts';

type Json = Record<string, unknown>;

/** The gateway's description of itself, made from the table of endpoints by which it works. */
export function openApiDocument({ origin, services }: Call): Json {
  const shown = services.endpoints.filter((endpoint) => endpoint.hidden !== true);
  const paths: Record<string, Json> = {};
  for (const endpoint of shown) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint),
    };
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Model gateway',
      version,
      description: 'Chat, images, video, music, speech, materials and account behind one key.',
    },
    servers: [{ url: origin }],
    tags: [...new Set(shown.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: schemaOf(errorEnvelopeRecord),
        KeyBalanceError: schemaOf(keyBalanceErrorEnvelopeRecord),
      },
    },
  };
}

function operation(endpoint: Endpoint): Json {
  const { shownBody, summary, auth } = endpoint;
  return {
    operationId: operationId(endpoint),
    summary,
    tags: [tagOf(endpoint)],
    security: auth === 'none' ? [] : [{ bearer: [] }],
    parameters: parameters(endpoint),
    ...(shownBody === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(schemaOf(shownBody)) } }),
    responses: responses(endpoint),
  };
}

/** Such as `postV1ImagesTasks`, `getV1ImagesTasksByTaskId`. */
function operationId({ method, path }: Endpoint): string {
  const words = path.replaceAll('{', 'by/').split(/[^A-Za-z0-9]+/);
  const capitals = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + capitals.join('');
}

function tagOf({ path }: Endpoint): string {
  return path.split('/')[2] ?? 'service';
}

function parameters({ path, query = [], slot, route }: Endpoint): Json[] {
  const text = { type: 'string' };
  const header = (name: string, required: boolean): Json => ({
    name,
    in: 'header',
    required,
    schema: text,
  });
  return [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: text,
    })),
    ...query.map((name) => ({ name, in: 'query', required: false, schema: text })),
    header('x-request-id', false),
    ...(slot ? [header('x-idempotency-key', false)] : []),
    ...(route === 'POST /v1/materials' ? [header('Idempotency-Key', true)] : []),
  ];
}

function responses(endpoint: Endpoint): Json {
  const { reply, status = 200, otherStatuses = [], errors = [], auth } = endpoint;
  const name = auth === 'balance' ? 'KeyBalanceError' : 'Error';
  const failure = jsonContent({ $ref: `#/components/schemas/${name}` });
  const content = endpoint.streams
    ? { ...jsonContent(schemaOf(reply)), 'text/event-stream': { schema: { type: 'string' } } }
    : jsonContent(schemaOf(reply));
  const success = { headers: responseHeaders(endpoint), content };
  return {
    ...Object.fromEntries(
      [status, ...otherStatuses].map((code) => [code, { description: 'Success', ...success }]),
    ),
    ...Object.fromEntries(
      errors.map((code) => [code, { description: reasons[code] ?? 'Refused', content: failure }]),
    ),
  };
}

const reasons: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'The key is missing or unknown',
  402: 'The wallet does not cover the request',
  403: 'The key is disabled',
  404: 'There is no such thing',
  409: 'The idempotency key was used for another request',
  413: 'The body is too long',
  429: 'Too many requests run at once',
  500: 'The service failed',
  501: 'This gateway does not do that',
  503: 'The service is unavailable for the moment',
};

function jsonContent(schema: unknown): Json {
  return { 'application/json': { schema } };
}

function schemaOf(schema: z.ZodMiniType | undefined): unknown {
  if (schema === undefined) return {};
  return z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' });
}

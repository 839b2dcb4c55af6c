import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';

import * as shapes from '../../src/wire/generated/index.ts';
import { readinessSchema } from '../../src/wire/types/catalog/account.ts';
import {
  anthropicModelListSchema,
  geminiModelListSchema,
  modelListSchema,
  modelSchema,
} from '../../src/wire/types/catalog/models.ts';
import { materialPageSchema, materialSchema } from '../../src/wire/types/media/materials.ts';
import { voiceCreationSchema, voiceListSchema } from '../../src/wire/types/media/voices.ts';
import { anyRecord } from '../../src/wire/types/schema.ts';
import type { ResponseSchema } from '../../src/wire/types/schema.ts';
import * as bodies from './bodies.ts';

/** A response, its documented record, the schema of the client, and the smallest valid response. */
interface Case {
  body: object;
  record: z.ZodMiniType;
  schema: ResponseSchema<unknown>;
  minimal: object;
}

const cases: Record<string, Case> = {
  account: {
    body: bodies.account,
    record: shapes.account,
    schema: anyRecord,
    minimal: {},
  },
  readiness: {
    body: bodies.readiness,
    record: shapes.readiness,
    schema: readinessSchema,
    minimal: { checks: [{ id: 'a', status: 'b' }] },
  },
  'key balance': {
    body: bodies.keyBalance,
    record: shapes.keyBalance,
    schema: anyRecord,
    minimal: {},
  },
  model: {
    body: bodies.model,
    record: shapes.model,
    schema: modelSchema,
    minimal: { id: 'm' },
  },
  'model list': {
    body: bodies.modelList,
    record: shapes.modelListRecord,
    schema: modelListSchema,
    minimal: { data: [{ id: 'm' }] },
  },
  'Anthropic-style model list': {
    body: bodies.anthropicModelList,
    record: shapes.anthropicModelList,
    schema: anthropicModelListSchema,
    minimal: { data: [{ id: 'm' }] },
  },
  'Gemini-style model list': {
    body: bodies.geminiModelList,
    record: shapes.geminiModelList,
    schema: geminiModelListSchema,
    minimal: { models: [{ name: 'm' }] },
  },
  'voice list': {
    body: bodies.voiceList,
    record: shapes.voiceListRecord,
    schema: voiceListSchema,
    minimal: { data: [{}] },
  },
  'voice creation': {
    body: bodies.voiceCreation,
    record: shapes.voiceCreation,
    schema: voiceCreationSchema,
    minimal: { voice_id: 'v' },
  },
  material: {
    body: bodies.material,
    record: shapes.material,
    schema: materialSchema,
    minimal: { id: 'mat_1', status: 'processing' },
  },
  'material in verification': {
    body: bodies.materialInVerification,
    record: shapes.material,
    schema: materialSchema,
    minimal: { id: 'mat_1', status: 'verification_pending', uri: null },
  },
  'material page': {
    body: bodies.materialPage,
    record: shapes.materialPageRecord,
    schema: materialPageSchema,
    minimal: { data: [{ id: 'mat_1', status: 'available' }] },
  },
  'service status': {
    body: bodies.serviceStatus,
    record: shapes.serviceStatus,
    schema: anyRecord,
    minimal: {},
  },
  capabilities: {
    body: bodies.capabilities,
    record: shapes.capabilities,
    schema: anyRecord,
    minimal: {},
  },
  'error catalog': {
    body: bodies.errorCatalog,
    record: shapes.errorCatalog,
    schema: anyRecord,
    minimal: {},
  },
  'error detail': {
    body: bodies.errorDetail,
    record: shapes.errorDetail,
    schema: anyRecord,
    minimal: {},
  },
  'pricing catalog': {
    body: bodies.pricingCatalog,
    record: shapes.pricingCatalog,
    schema: anyRecord,
    minimal: {},
  },
  'rate limit policy': {
    body: bodies.rateLimitPolicy,
    record: shapes.rateLimitPolicy,
    schema: anyRecord,
    minimal: {},
  },
  changelog: {
    body: bodies.changelog,
    record: shapes.changelog,
    schema: anyRecord,
    minimal: {},
  },
  'OpenAPI document': {
    body: bodies.openApiDocument,
    record: shapes.openApiDocument,
    schema: anyRecord,
    minimal: {},
  },
};

describe.each(Object.entries(cases))('the %s', (_, { body, record, schema, minimal }) => {
  test('as documented matches the record and the schema of the client', () => {
    expect(record.parse(body)).toEqual(body);
    expect(read(schema, body)).toEqual(body);
  });

  test('keeps unknown fields at every depth', () => {
    const extended = withUnknownFields(body);
    expect(record.parse(extended)).toEqual(extended);
    expect(read(schema, extended)).toEqual(extended);
  });

  test('is valid with only the fields that the client relies on', () => {
    expect(read(schema, minimal)).toEqual(minimal);
  });

  test('is valid with unknown string values', () => {
    const changed = withUnknownStrings(body);
    expect(read(schema, changed)).toEqual(changed);
  });

  test('converts to JSON Schema', () => {
    expect(z.toJSONSchema(record)).toMatchObject({ type: 'object' });
  });

  test.each([null, [], 'gone', 7])('rejects %j', (response) => {
    expect(() => read(schema, response)).toThrow(/must be/);
  });
});

describe('what the client relies on', () => {
  test.each([
    ['the id of a model', modelSchema, { ...bodies.model, id: 7 }],
    ['the models of a list', modelListSchema, { object: 'list' }],
    ['the checks of a readiness', readinessSchema, { object: 'readiness' }],
    ['the voices of a list', voiceListSchema, { object: 'audio.voice.list' }],
    ['the id of a new voice', voiceCreationSchema, { voice: bodies.voice }],
    ['the id of a material', materialSchema, { status: 'available' }],
    ['the status of a material', materialSchema, { id: 'mat_1' }],
    ['the type of a URI', materialSchema, { ...bodies.material, uri: 7 }],
    ['the type of a cursor', materialPageSchema, { data: [], next_cursor: 7 }],
  ])('includes %s', (_, schema, response) => {
    expect(() => read(schema, response)).toThrow(/must be/);
  });

  test('excludes next_cursor on the last page, which can be null or absent', () => {
    for (const page of [{ data: [] }, { data: [], next_cursor: null }]) {
      expect(read(materialPageSchema, page)).toEqual(page);
    }
  });
});

describe('the records of parts and errors', () => {
  test.each([
    ['pricing', shapes.pricing, bodies.pricing],
    ['voice', shapes.voice, bodies.voice],
    ['error envelope', shapes.errorEnvelope, bodies.errorEnvelope],
    [
      'error envelope of the key balance',
      shapes.keyBalanceErrorEnvelope,
      bodies.keyBalanceErrorEnvelope,
    ],
  ])('%s matches its example', (_, record, body) => {
    expect(record.parse(body)).toEqual(body);
  });

  test('a material record rejects a URI of another scheme', () => {
    const body = { ...bodies.material, uri: 'https://media.example/quay.png' };
    expect(shapes.material.safeParse(body).success).toBe(false);
  });
});

/** The response as the client reads it, or an error that names the invalid field. */
function read(schema: ResponseSchema<unknown>, response: unknown): unknown {
  const issue = schema.validate(response, []);
  if (issue !== undefined)
    throw new Error(`${issue.path?.map(String).join('.')}: ${issue.message}`);
  return response;
}

/** A copy in which every object has an additional field. */
function withUnknownFields(value: unknown): unknown {
  return mapValues(value, withUnknownFields, { added_later: { by: 'the service' } });
}

/** A copy in which every string has an unknown value. */
function withUnknownStrings(value: unknown): unknown {
  return typeof value === 'string' ? 'a_future_value' : mapValues(value, withUnknownStrings, {});
}

function mapValues(value: unknown, change: (part: unknown) => unknown, extra: object): unknown {
  if (Array.isArray(value)) return value.map((part) => change(part));
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]): [string, unknown] => [
    name,
    change(part),
  ]);
  return { ...Object.fromEntries(parts), ...extra };
}

import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';

import * as account from '../../src/schemas/account.ts';
import { capabilitiesRecord, capabilitiesSchema } from '../../src/schemas/capabilities.ts';
import * as catalog from '../../src/schemas/error-catalog.ts';
import {
  errorEnvelopeRecord,
  keyBalanceErrorEnvelopeRecord,
} from '../../src/schemas/error-codes.ts';
import * as materials from '../../src/schemas/materials.ts';
import * as models from '../../src/schemas/models.ts';
import { pricingCatalogRecord, pricingCatalogSchema } from '../../src/schemas/pricing-catalog.ts';
import { pricingRecord } from '../../src/schemas/pricing.ts';
import * as open from '../../src/schemas/public.ts';
import * as voices from '../../src/schemas/voices.ts';
import * as bodies from './bodies.ts';
import type { ResponseSchema } from '../../src/schemas/schema.ts';

/** An answer, the record that documents it, what the client asks, and the least that passes. */
interface Case {
  body: object;
  record: z.ZodMiniType;
  schema: ResponseSchema<unknown>;
  least: object;
}

const cases: Record<string, Case> = {
  account: {
    body: bodies.account,
    record: account.accountRecord,
    schema: account.accountSchema,
    least: {},
  },
  readiness: {
    body: bodies.readiness,
    record: account.readinessRecord,
    schema: account.readinessSchema,
    least: { checks: [{ id: 'a', status: 'b' }] },
  },
  'key balance': {
    body: bodies.keyBalance,
    record: account.keyBalanceRecord,
    schema: account.keyBalanceSchema,
    least: {},
  },
  model: {
    body: bodies.model,
    record: models.modelRecord,
    schema: models.modelSchema,
    least: { id: 'm' },
  },
  'model list': {
    body: bodies.modelList,
    record: models.modelListRecord,
    schema: models.modelListSchema,
    least: { data: [{ id: 'm' }] },
  },
  "model list in Anthropic's style": {
    body: bodies.anthropicModelList,
    record: models.anthropicModelListRecord,
    schema: models.anthropicModelListSchema,
    least: { data: [{ id: 'm' }] },
  },
  "model list in Gemini's style": {
    body: bodies.geminiModelList,
    record: models.geminiModelListRecord,
    schema: models.geminiModelListSchema,
    least: { models: [{ name: 'm' }] },
  },
  'voice list': {
    body: bodies.voiceList,
    record: voices.voiceListRecord,
    schema: voices.voiceListSchema,
    least: { data: [{}] },
  },
  'voice creation': {
    body: bodies.voiceCreation,
    record: voices.voiceCreationRecord,
    schema: voices.voiceCreationSchema,
    least: { voice_id: 'v' },
  },
  material: {
    body: bodies.material,
    record: materials.materialRecord,
    schema: materials.materialSchema,
    least: { id: 'mat_1', status: 'processing' },
  },
  'material in verification': {
    body: bodies.materialInVerification,
    record: materials.materialRecord,
    schema: materials.materialSchema,
    least: { id: 'mat_1', status: 'verification_pending', uri: null },
  },
  'material page': {
    body: bodies.materialPage,
    record: materials.materialPageRecord,
    schema: materials.materialPageSchema,
    least: { data: [{ id: 'mat_1', status: 'available' }] },
  },
  'service status': {
    body: bodies.serviceStatus,
    record: open.serviceStatusRecord,
    schema: open.serviceStatusSchema,
    least: {},
  },
  capabilities: {
    body: bodies.capabilities,
    record: capabilitiesRecord,
    schema: capabilitiesSchema,
    least: {},
  },
  'error catalogue': {
    body: bodies.errorCatalog,
    record: catalog.errorCatalogRecord,
    schema: catalog.errorCatalogSchema,
    least: {},
  },
  'error detail': {
    body: bodies.errorDetail,
    record: catalog.errorDetailRecord,
    schema: catalog.errorDetailSchema,
    least: {},
  },
  'pricing catalogue': {
    body: bodies.pricingCatalog,
    record: pricingCatalogRecord,
    schema: pricingCatalogSchema,
    least: {},
  },
  'rate limit policy': {
    body: bodies.rateLimitPolicy,
    record: open.rateLimitPolicyRecord,
    schema: open.rateLimitPolicySchema,
    least: {},
  },
  changelog: {
    body: bodies.changelog,
    record: open.changelogRecord,
    schema: open.changelogSchema,
    least: {},
  },
  'OpenAPI document': {
    body: bodies.openApiDocument,
    record: open.openApiDocumentRecord,
    schema: open.openApiDocumentSchema,
    least: {},
  },
};

describe.each(Object.entries(cases))('the %s', (_, { body, record, schema, least }) => {
  test('as documented fits the record and what the client asks', () => {
    expect(record.parse(body)).toEqual(body);
    expect(read(schema, body)).toEqual(body);
  });

  test('keeps fields that nobody knows yet, at every depth', () => {
    const grown = withUnknownFields(body);
    expect(record.parse(grown)).toEqual(grown);
    expect(read(schema, grown)).toEqual(grown);
  });

  test('passes with no more than the client relies on', () => {
    expect(read(schema, least)).toEqual(least);
  });

  test('passes with words that nobody knows yet', () => {
    const reworded = withOtherWords(body);
    expect(read(schema, reworded)).toEqual(reworded);
  });

  test('can be described as JSON Schema', () => {
    expect(z.toJSONSchema(record)).toMatchObject({ type: 'object' });
  });

  test.each([null, [], 'gone', 7])('is never %j', (answer) => {
    expect(() => read(schema, answer)).toThrow(/must be/);
  });
});

describe('what the client relies on', () => {
  test.each([
    ['the id of a model', models.modelSchema, { ...bodies.model, id: 7 }],
    ['the models of a list', models.modelListSchema, { object: 'list' }],
    ['the checks of a readiness', account.readinessSchema, { object: 'readiness' }],
    ['the voices of a list', voices.voiceListSchema, { object: 'audio.voice.list' }],
    ['the id of a new voice', voices.voiceCreationSchema, { voice: bodies.voice }],
    ['the id of a material', materials.materialSchema, { status: 'available' }],
    ['the status of a material', materials.materialSchema, { id: 'mat_1' }],
    ['the type of a URI', materials.materialSchema, { ...bodies.material, uri: 7 }],
    ['the type of a cursor', materials.materialPageSchema, { data: [], next_cursor: 7 }],
  ])('includes %s', (_, schema, answer) => {
    expect(() => read(schema, answer)).toThrow(/must be/);
  });

  test('leaves the end of a material list to either spelling', () => {
    for (const page of [{ data: [] }, { data: [], next_cursor: null }]) {
      expect(read(materials.materialPageSchema, page)).toEqual(page);
    }
  });
});

describe('the records of parts and errors', () => {
  test.each([
    ['pricing', pricingRecord, bodies.pricing],
    ['voice', voices.voiceRecord, bodies.voice],
    ['error envelope', errorEnvelopeRecord, bodies.errorEnvelope],
    [
      'error envelope of the key balance',
      keyBalanceErrorEnvelopeRecord,
      bodies.keyBalanceErrorEnvelope,
    ],
  ])('%s fits', (_, record, body) => {
    expect(record.parse(body)).toEqual(body);
  });

  test('a URI of another scheme is not documented', () => {
    const body = { ...bodies.material, uri: 'https://media.example/quay.png' };
    expect(materials.materialRecord.safeParse(body).success).toBe(false);
  });
});

/** What the client reads, or an error that says what it misses. */
function read(schema: ResponseSchema<unknown>, answer: unknown): unknown {
  const issue = schema.validate(answer, []);
  if (issue !== undefined)
    throw new Error(`${issue.path?.map(String).join('.')}: ${issue.message}`);
  return answer;
}

/** A copy in which every object has one field more. */
function withUnknownFields(value: unknown): unknown {
  return rebuilt(value, withUnknownFields, { added_later: { by: 'the service' } });
}

/** A copy in which every string is a word that nobody knows. */
function withOtherWords(value: unknown): unknown {
  return typeof value === 'string' ? 'a_word_of_next_year' : rebuilt(value, withOtherWords, {});
}

function rebuilt(value: unknown, change: (part: unknown) => unknown, extra: object): unknown {
  if (Array.isArray(value)) return value.map((part) => change(part));
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]): [string, unknown] => [
    name,
    change(part),
  ]);
  return { ...Object.fromEntries(parts), ...extra };
}

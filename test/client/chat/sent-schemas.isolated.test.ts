import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type } from 'arktype';
import type { Type } from 'arktype';
import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import type { StandardJsonSchema } from '../../../src/index.ts';
import { onMock } from '../support.ts';
import { base, ofJson } from './support.ts';

type AnySchema = StandardJsonSchema<unknown>;
interface Sent {
  schema: Record<string, unknown>;
  strict: boolean;
}

/** What is sent for a schema of the output and for the parameters of a tool, which must be the same. */
async function sentFor(schema: AnySchema): Promise<Sent> {
  const { gateway, mock } = onMock();
  await gateway.chat.completions.parse({ ...base, response_format: schema }).catch(() => undefined);
  const tool = { name: 'use', parameters: schema, execute: () => '' };
  await gateway.chat.completions
    .run({ ...base, tools: [tool] }, { maxRounds: 1 })
    .catch(() => undefined);
  const [parsed, run] = mock.requests.map(({ body }) => JSON.parse(JSON.stringify(body)));
  const { name: _, ...sent } = parsed.response_format.json_schema;
  const { parameters, strict } = run.tools[0].function;
  expect({ schema: parameters, strict }).toEqual(sent);
  return sent;
}

const standard = toStandardJsonSchema;
/** A type that drops unknown fields, as those of other libraries do. Its JSON schema is the same. */
const dropping = (given: Type): AnySchema => ({
  '~standard': {
    ...given['~standard'],
    validate: (value) => given.onDeepUndeclaredKey('delete')['~standard'].validate(value),
  },
});

interface Node {
  name: string;
  children: Node[];
}
const zodTree = z.object({
  name: z.string(),
  get children() {
    return z.array(zodTree);
  },
});
const valibotTree: v.GenericSchema<Node> = v.object({
  name: v.string(),
  children: v.array(v.lazy(() => valibotTree)),
});
const a = z.object({ a: z.string() });
const b = z.object({ b: z.number() });
const va = v.object({ a: v.string() });
const vb = v.object({ b: v.number() });

const libraries: readonly [string, AnySchema][] = [
  ['zod: an object', z.object({ a: z.string(), b: z.number() })],
  ['zod: an optional field', z.object({ a: z.string(), b: z.number().optional() })],
  ['zod: an intersection', a.and(b)],
  ['zod: an intersection in a field', z.object({ x: a.and(b) })],
  [
    'zod: an intersection with a union',
    z.object({ x: z.intersection(a, z.union([b, z.object({ c: z.string() })])) }),
  ],
  [
    'zod: an intersection of a shared field',
    z.object({ x: z.object({ x: a }).and(z.object({ x: b })) }),
  ],
  ['zod: a union', z.object({ x: z.union([a, b]) })],
  [
    'zod: a discriminated union',
    z.object({
      x: z.discriminatedUnion('a', [
        z.object({ a: z.literal('k') }),
        z.object({ a: z.literal('l'), b: z.number() }),
      ]),
    }),
  ],
  ['zod: an object or null', z.object({ x: a.nullable() })],
  ['zod: a recursive object', zodTree],
  ['zod: an object without fields', z.object({ x: z.looseObject({}) })],
  ['zod: a record', z.object({ x: z.record(z.string(), z.unknown()) })],
  ['valibot: an object', standard(v.object({ a: v.string(), b: v.number() }))],
  ['valibot: an intersection', standard(v.intersect([va, vb]))],
  ['valibot: an intersection in a field', standard(v.object({ x: v.intersect([va, vb]) }))],
  [
    'valibot: an intersection of three',
    standard(v.intersect([va, vb, v.object({ c: v.optional(v.string()) })])),
  ],
  [
    'valibot: an intersection with a union',
    standard(v.intersect([va, v.union([vb, v.object({ c: v.string() })])])),
  ],
  [
    'valibot: an intersection of a shared field',
    standard(v.intersect([v.object({ x: va }), v.object({ x: vb })])),
  ],
  ['valibot: an intersection in a list', standard(v.object({ x: v.array(v.intersect([va, vb])) }))],
  ['valibot: a union', standard(v.union([va, vb]))],
  ['valibot: an object or null', standard(v.object({ x: v.nullable(va) }))],
  ['valibot: a recursive object', standard(valibotTree)],
  ['arktype: an object', dropping(type({ a: 'string', b: 'number' }))],
  ['arktype: an intersection', dropping(type({ a: 'string' }).and({ b: 'number' }))],
  ['arktype: a union', dropping(type({ a: "'k'" }).or({ a: "'l'", b: 'number' }))],
  ['arktype: an object or null', dropping(type({ x: type({ a: 'string' }).or('null') }))],
];

/** Values that match some of these schemas, and values that nearly do. */
const { value: values } = fc.letrec((tie) => ({
  leaf: fc.constantFrom<unknown>('k', 'l', 1, null, true),
  object: fc.record(
    {
      a: fc.constantFrom<unknown>('k', 'l', 1),
      b: fc.constantFrom<unknown>(1, 2, 'k'),
      c: fc.constantFrom<unknown>('k', 1),
      x: tie('value'),
      name: fc.constantFrom<unknown>('k', 1),
      children: fc.array(tie('value'), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  ),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    tie('object'),
    tie('object'),
    fc.array(tie('object'), { maxLength: 2 }),
  ),
}));

describe('the schema that is sent', () => {
  test.each(libraries)('accepts what the type accepts: %s', async (_, schema) => {
    const { schema: json } = await sentFor(schema);
    const accepts = new Ajv2020({ strict: false }).compile(json);
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const result = await schema['~standard'].validate(structuredClone(value));
        if (result.issues) {
          expect([accepts(value), value]).toEqual([false, value]);
          return;
        }
        // Without fields that the type does not know, which it drops and the schema rejects.
        accepted += 1;
        expect([accepts(result.value), value]).toEqual([true, value]);
      }),
      { numRuns: 1_000, seed: 46 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});

/** The parts of the objects below, of which each is useless alone. */
const one = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const other = { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] };
const both = { a: 'k', b: 1 };

const composed: readonly [string, Record<string, unknown>][] = [
  ['allOf', { type: 'object', allOf: [one, other] }],
  ['allOf in allOf', { type: 'object', allOf: [one, { allOf: [other] }] }],
  ['allOf beside properties', { ...one, allOf: [other] }],
  ['anyOf beside properties', { ...one, anyOf: [other, { type: 'object' }] }],
  ['oneOf beside properties', { ...one, oneOf: [other] }],
  ['two anyOf', { type: 'object', allOf: [{ anyOf: [one] }, { anyOf: [other] }] }],
  ['$ref beside properties', { ...one, $ref: '#/$defs/b', $defs: { b: other } }],
  [
    'a $ref that is also used alone',
    {
      type: 'object',
      allOf: [one, { $ref: '#/$defs/b' }],
      $defs: { b: other, c: { properties: { d: { $ref: '#/$defs/b' } } } },
    },
  ],
  [
    'two $ref',
    {
      type: 'object',
      allOf: [{ $ref: '#/$defs/a~1' }, { $ref: '#/$defs/b%20' }],
      $defs: { 'a/': one, 'b ': other },
    },
  ],
  ['if and else', { ...one, if: { properties: { a: { const: 'l' } } }, else: other }],
  ['dependentSchemas', { ...one, dependentSchemas: { a: other } }],
  [
    'a part of a list',
    {
      type: 'object',
      properties: { a: {}, b: {} },
      not: { properties: { a: { type: 'object', properties: { x: {} } } }, required: ['c'] },
    },
  ],
];

test.each(composed)('does not close the parts of an object: %s', async (_, json) => {
  const { schema, strict } = await sentFor(ofJson(json));
  expect(new Ajv2020({ strict: false }).compile(schema)(both)).toBe(true);
  expect(strict).toBe(false);
});

test('closes an object whose $ref describes it alone', async () => {
  const json = { $ref: '#/$defs/city', $defs: { city: one } };
  expect(await sentFor(ofJson(json))).toEqual({
    schema: { ...json, type: 'object', $defs: { city: { ...one, additionalProperties: false } } },
    strict: false,
  });
});

test.each(['100%', 'a b', 'a%20b', 'a/b~c', '100% of a/b'])(
  'closes a schema of zod whose id is %s',
  async (id) => {
    const shared = z.object({ a: z.string() }).meta({ id });
    const { schema, strict } = await sentFor(z.object({ x: shared, y: shared }));
    expect(schema).toMatchObject({ $defs: { [id]: { additionalProperties: false } } });
    expect(strict).toBe(true);
    z.globalRegistry.remove(shared);
  },
);

test('does not change what is data', async () => {
  const data = { type: 'object', properties: { a: 1 } };
  const field = { type: 'object', properties: {}, default: data, examples: [data], const: data };
  const x = { ...field, enum: [data] };
  const { schema, strict } = await sentFor(
    ofJson({ type: 'object', properties: { x }, required: ['x'] }),
  );
  expect(schema.properties).toEqual({ x: { ...x, additionalProperties: false } });
  expect(strict).toBe(true);
});

test.each([
  [{ type: ['object', 'null'], properties: { a: {} }, required: ['a'] }, true],
  [{ type: ['object', 'null'], properties: { a: {} } }, false],
  [{ type: ['null', 'object'], properties: { a: {} }, additionalProperties: true }, false],
])('an object or null counts as an object: %j is strict: %s', async (x, strict) => {
  const json = { type: 'object', properties: { x }, required: ['x'] };
  const sent = await sentFor(ofJson(json));
  expect(sent.strict).toBe(strict);
  const additionalProperties = 'additionalProperties' in x;
  expect(sent.schema.properties).toEqual({ x: { ...x, additionalProperties } });
});

test('leaves an object without listed fields open', async () => {
  const json = { type: 'object', properties: { x: { type: 'object' } }, required: ['x'] };
  const { schema, strict } = await sentFor(ofJson(json));
  expect(schema.properties).toEqual(json.properties);
  expect(strict).toBe(false);
});

test('does not change the schema of the caller', async () => {
  const json = { type: 'object', properties: { x: { ...one } } };
  const before = structuredClone(json);
  await sentFor(ofJson(json));
  expect(json).toEqual(before);
});

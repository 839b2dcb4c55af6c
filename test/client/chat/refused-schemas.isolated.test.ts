import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';

import { ConfigurationError } from '../../../src/index.ts';
import type { StandardJsonSchema } from '../../../src/index.ts';
import { caught, onMock } from '../support.ts';
import { base, ofJson } from './support.ts';

type AnySchema = StandardJsonSchema<unknown>;
const object = z.object({ a: z.string() });

describe('a schema that cannot be sent is refused', () => {
  const failures = async (schema: unknown) => {
    const { gateway, mock } = onMock();
    // A caller without type checking can pass any value.
    const given = Object(schema);
    const tool = { name: 'use', parameters: given, execute: () => '' };
    const errors = [
      await caught(gateway.chat.completions.parse({ ...base, response_format: given })),
      await caught(gateway.chat.completions.run({ ...base, tools: [tool] })),
    ];
    expect(mock.requests).toEqual([]);
    for (const error of errors) expect(error).toBeInstanceOf(ConfigurationError);
    return errors.map(({ message }) => message);
  };

  test.each<[string, AnySchema]>([
    ['a list', z.array(z.string())],
    ['a text', toStandardJsonSchema(v.string())],
    ['an object or null', z.object({ a: z.string() }).nullable()],
    ['a union of an object and a text', type({ a: 'string' }).or('string')],
    ['anything', z.any()],
    ['a type of both', ofJson({ type: ['object', 'null'], properties: {} })],
    ['itself', ofJson({ $ref: '#' })],
    [
      'itself, more than once',
      ofJson({
        $ref: '#/$defs/a',
        $defs: { a: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } },
      }),
    ],
  ])('if its root is %s', async (_, schema) => {
    for (const message of await failures(schema)) {
      expect(message).toMatch(
        /^(response_format|tools\.use\.parameters): the schema must be that of an object/,
      );
      expect(message).toContain('Wrap it in an object with one field');
    }
  });

  test.each<[string, unknown, RegExp]>([
    ['zod 3', z3.object({ a: z3.string() }), /since zod 4\.2: update zod/],
    ['zod 3.23', { safeParse: () => undefined, _def: {} }, /since zod 4\.2/],
    [
      'zod 4.0',
      { '~standard': { ...object['~standard'], jsonSchema: undefined } },
      /since zod 4\.2/,
    ],
    [
      'valibot',
      v.object({ a: v.string() }),
      /Pass toStandardJsonSchema\(schema\) from @valibot\/to-json-schema/,
    ],
    [
      'an old arktype',
      { '~standard': { version: 1, vendor: 'arktype', validate: object['~standard'].validate } },
      /arktype 2\.1\.28/,
    ],
    [
      'another library',
      { '~standard': { version: 1, vendor: 'x', validate: object['~standard'].validate } },
      /Pass a Standard Schema that provides a JSON Schema/,
    ],
  ])('if it is of %s, with what to use', async (_, schema, advice) => {
    for (const message of await failures(schema)) expect(message).toMatch(advice);
  });
});

import { ConfigurationError } from '../../errors/base.ts';
import type { ResponseFormat } from '../../wire/types/chat/params.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isSchema } from '../../wire/types/standard-schema.ts';
import type { StandardJsonSchema } from '../../wire/types/standard-schema.ts';
import { isRecord, textOf } from '../../wire/types/type-guards.ts';
import { acceptsOnlyObjects, closeObjects } from './closed-schema.ts';

/** A JSON Schema for a model. */
export interface ModelSchema {
  schema: Record<string, unknown>;
  /** Whether the schema qualifies for strict mode, in which the model's output always matches it. */
  strict: boolean;
}

/**
 * Returns the JSON Schema of a Standard Schema's input, with closed objects: see {@link closeObjects}.
 *
 * @throws {@link ConfigurationError} if it has none, or if it accepts more than objects, which services reject.
 */
export function toModelSchema(given: StandardJsonSchema<unknown>, field: string): ModelSchema {
  let schema: Record<string, unknown>;
  try {
    const converted = given['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    // Without `$schema`, because JSON has no undefined fields.
    const json = JSON.stringify({ ...converted, $schema: undefined });
    schema = unchecked<Record<string, unknown>>(JSON.parse(json));
  } catch (error) {
    throw withoutSchema(field, given, error);
  }
  if (!acceptsOnlyObjects(schema)) {
    throw new ConfigurationError(
      `${field}: the schema must be that of an object, because services accept no other. Wrap it in an object with one field, and read that field.`,
    );
  }
  const strict = closeObjects(schema) && schema.type === 'object';
  // Services require the type even where all alternatives have it.
  return { schema: { ...schema, type: 'object' }, strict };
}

/** What has a JSON Schema, by the vendor of a schema that has none. */
const versions: Readonly<Record<string, string>> = {
  zod: 'Schemas of zod have one since zod 4.2: update zod, and do not import zod/v3',
  valibot: 'Pass toStandardJsonSchema(schema) from @valibot/to-json-schema',
  arktype: 'Schemas of arktype have one since arktype 2.1.28: update arktype',
};

const withoutSchema = (field: string, given: unknown, error?: unknown) =>
  new ConfigurationError(`${field}: ${missingSchema(given, error)}.`);

/** Why a value has no JSON Schema, and what to use instead. */
function missingSchema(given: unknown, error?: unknown): string {
  const standard: unknown = Reflect.get(Object(given), '~standard');
  if (isRecord(standard) && standard.jsonSchema) return `has no JSON Schema (${String(error)})`;
  // Before 3.24, schemas of zod implement no standard.
  const vendor = isRecord(standard) ? textOf(standard.vendor) : 'zod';
  const advice = versions[vendor ?? ''] ?? 'Pass a Standard Schema that provides a JSON Schema';
  return `has no JSON Schema. ${advice}`;
}

/** The `response_format` for a schema: its JSON Schema, named after its title, as the service requires. */
export function toResponseFormat(format: unknown): ResponseFormat {
  if (!isSchema(format)) throw withoutSchema('response_format', format);
  const { schema, strict } = toModelSchema(format, 'response_format');
  const name = (textOf(schema.title) ?? 'answer').replaceAll(/[^\w-]+/g, '_').slice(0, 64);
  return { type: 'json_schema', json_schema: { name, schema, strict } };
}

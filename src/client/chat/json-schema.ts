import { ConfigurationError } from '../../errors/base.ts';
import type { ResponseFormat } from '../../wire/types/chat/params.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isSchema } from '../../wire/types/standard-schema.ts';
import type { StandardJsonSchema } from '../../wire/types/standard-schema.ts';
import { isRecord, textOf } from '../../wire/types/type-guards.ts';

type Schema = Record<string, unknown>;

/** A JSON Schema for a model. */
interface ModelSchema {
  schema: Schema;
  /** Whether the schema qualifies for strict mode, in which the model's output always matches it. */
  strict: boolean;
}

/**
 * Returns the JSON Schema of a Standard Schema's input, with closed objects: see {@link closeObjects}.
 *
 * @throws {@link ConfigurationError} if it has none, or if it accepts more than objects, which services reject.
 */
export function toModelSchema(given: StandardJsonSchema<unknown>, field: string): ModelSchema {
  let schema: Schema;
  try {
    const converted = given['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    // Without `$schema`, because JSON has no undefined fields.
    const json = JSON.stringify({ ...converted, $schema: undefined });
    schema = unchecked<Schema>(JSON.parse(json));
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

/** Keywords with which a schema lists the fields of an object itself. */
const ownFields = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
];

/**
 * Closes the objects of a JSON Schema that do not specify `additionalProperties`, in place. Returns whether the result
 * qualifies for strict mode, in which every object is closed and all of its fields are required.
 *
 * An object is closed only where one schema describes it: both parts of an `allOf`, if they were closed, would reject the
 * fields of the other, so that nothing satisfied them. The same holds for an `anyOf`, `$ref` or `if` beside `properties`.
 * Only keywords that have schemas are followed: what `default`, `examples`, `const` and `enum` contain is data.
 */
function closeObjects(root: Schema): boolean {
  /** Schemas that describe a value alone, and those that do so together with others. A `$ref` can make one both. */
  const whole = new Set<Schema>();
  const partial = new Set<Schema>();

  const visit = (value: unknown, isAlone: boolean): void => {
    if (!isRecord(value)) return;
    const seen = isAlone ? whole : partial;
    if (seen.has(value)) return;
    seen.add(value);
    const conditional = [value.if, value.then, value.else, ...schemasIn(value.dependentSchemas)];
    // Of the schemas in a group, one describes the value.
    const groups = [
      [resolve(root, value.$ref)],
      ...schemasIn(value.allOf).map((part) => [part]),
      schemasIn(value.anyOf),
      schemasIn(value.oneOf),
    ].filter((group) => group.some(isRecord));
    const hasParts = groups.length > 0 || conditional.some(isRecord);
    const isWrapper =
      groups.length === 1 &&
      !conditional.some(isRecord) &&
      !ownFields.some((name) => name in value);
    if (hasParts && !isWrapper) partial.add(value);
    for (const part of groups.flat()) visit(part, isAlone && isWrapper);
    for (const part of [...conditional, value.not]) visit(part, false);
    // The parts of a value can have parts of one field.
    const isWhole = isAlone && !hasParts;
    const { items, additionalProperties, contains } = value;
    const fields = [...schemasIn(value.properties), ...schemasIn(value.prefixItems)];
    for (const field of [...fields, items, additionalProperties]) visit(field, isWhole);
    for (const field of [...schemasIn(value.patternProperties), contains]) visit(field, false);
  };
  visit(root, true);

  let strict = partial.size === 0;
  for (const schema of whole) {
    const { type, properties, required, unevaluatedProperties } = schema;
    if (!(type === undefined ? isRecord(properties) : [type].flat().includes('object'))) continue;
    const isComplete = isRecord(properties) && !partial.has(schema);
    if (isComplete && unevaluatedProperties === undefined) schema.additionalProperties ??= false;
    const fieldCount = schemasIn(properties).length;
    const requiredCount = Array.isArray(required) ? required.length : 0;
    strict &&= schema.additionalProperties === false && requiredCount === fieldCount;
  }
  return strict;
}

/** Whether every value of a schema is an object. `path` has the schemas that contain it, or refer to it. */
function acceptsOnlyObjects(
  root: Schema,
  schema: unknown = root,
  path: readonly Schema[] = [],
): boolean {
  // A schema that refers to itself says nothing about its values.
  if (!isRecord(schema) || path.includes(schema)) return false;
  const { type, $ref, allOf, anyOf, oneOf } = schema;
  if (type !== undefined) return [type].flat().every((name) => name === 'object');
  const isObject = (part: unknown) => acceptsOnlyObjects(root, part, [...path, schema]);
  return (
    [resolve(root, $ref), ...schemasIn(allOf)].some(isObject) ||
    [schemasIn(anyOf), schemasIn(oneOf)].some((group) => group.length > 0 && group.every(isObject))
  );
}

/** The schemas in a list, or in an object by name. */
const schemasIn = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];

/** The schema that a `$ref` names, if it is in the same document. */
function resolve(root: Schema, ref: unknown): unknown {
  if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref)) return undefined;
  // zod does not encode the names of schemas for a URL, as it should.
  return follow(root, ref) ?? follow(root, decode(ref));
}

function follow(root: Schema, ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => Reflect.get(Object(value), name), root);
}

function decode(ref: string): string {
  try {
    return decodeURIComponent(ref);
  } catch {
    return ref;
  }
}

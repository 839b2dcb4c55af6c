import { isRecord } from '../../wire/types/type-guards.ts';

type Schema = Record<string, unknown>;

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
export function closeObjects(root: Schema): boolean {
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
export function acceptsOnlyObjects(
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
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value ? Reflect.get(value, name) : undefined),
      root,
    );
}

function decode(ref: string): string {
  try {
    return decodeURIComponent(ref);
  } catch {
    return ref;
  }
}

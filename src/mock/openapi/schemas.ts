import * as z from 'zod/mini';

import { isRecord } from '../../wire/types/type-guards.ts';
import type { EndpointDescription, JsonObject, TagDocs } from '../http/endpoint.ts';

/** The documentation of the tags of endpoints, in the order of the document. */
export function tagsOf(endpoints: readonly EndpointDescription[]): readonly TagDocs[] {
  return [...new Set(endpoints.flatMap(({ docs }) => docs ?? []))];
}

let components: JsonObject | undefined;

/** Returns the named schemas of the document, which are the same for all gateways. */
export function componentSchemas(tags: readonly TagDocs[]): JsonObject {
  return (components ??= createSchemas(tags));
}

/** Creates the named schemas from the schemas that the gateway itself uses. */
function createSchemas(tags: readonly TagDocs[]): JsonObject {
  const entries = tags.flatMap((tag) => Object.entries(tag.schemas));
  const registry = z.registry<{ id: string }>();
  for (const [id, { schema }] of entries) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => reference(id).$ref,
    override: ({ jsonSchema }) => {
      // The bounds of safe integers do not help readers.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.fromEntries(
    entries.map(([id, { description, keywords = {}, fields = {}, closed = [], example }]) => {
      const { $id: _, ...schema }: JsonObject = { ...schemas[id] };
      const all = [...Object.entries(keywords), ...Object.entries(fields)];
      for (const [path, field] of all) Object.assign(fieldAt(id, schema, path), field);
      for (const path of closed) {
        const field = fieldAt(id, schema, path);
        field.enum = field.examples;
      }
      return [id, { description, ...copyObject(schema), ...(example && { example }) }];
    }),
  );
}

/** Returns the name of a schema that an endpoint of the tag uses. */
export function schemaName({ schemas }: TagDocs, schema: z.ZodMiniType | undefined): string {
  const entry = Object.entries(schemas).find(([, docs]) => docs.schema === schema);
  if (entry === undefined) throw new TypeError('The schema has no name in the documentation');
  return entry[0];
}

/** Creates a reference to a named schema. */
export function reference(id: string): { $ref: string } {
  return { $ref: `#/components/schemas/${id}` };
}

/** Creates a schema that accepts any of the named schemas. */
export function anyOf(ids: readonly string[]): JsonObject {
  const references = ids.map(reference);
  return references.length === 1 ? { ...references[0] } : { anyOf: references };
}

/** Finds the schema of a field. */
function fieldAt(id: string, schema: JsonObject, path: string): JsonObject {
  const field = path.split('.').reduce<unknown>(fieldSchema, schema);
  // The tests generate the document, so they detect documentation of a field that does not exist.
  if (!isRecord(field)) throw new TypeError(`${id} has no field ${path}`);
  return field;
}

/** Finds the schema of a field of an object schema; with `[]`, the schema of the array's items. */
function fieldSchema(schema: unknown, name: string): unknown {
  const key = name.replaceAll('[]', '');
  const parts = withParts(schema);
  // Another named schema has keywords of its own.
  const named = parts.find((part) => '$ref' in part);
  const field =
    parts
      .map(({ properties }) => (isRecord(properties) ? properties[key] : undefined))
      .find((found) => found !== undefined) ??
    (named && { ...named });
  if (!name.endsWith('[]')) return field;
  return isRecord(field) ? field.items : undefined;
}

/** Returns a schema and the parts of its `allOf`. */
function withParts(schema: unknown): JsonObject[] {
  if (!isRecord(schema)) return [];
  const parts: unknown[] = Array.isArray(schema.allOf) ? schema.allOf : [];
  return [schema, ...parts.filter(isRecord)];
}

/**
 * Creates a deep copy in which an `allOf` with a single part is replaced by that part, even if it has a description:
 * the named schema has its own. It has no `examples`, which no field of a schema in OpenAPI 3.0 can have.
 */
function copyObject(schema: object): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => name !== 'examples' || !Array.isArray(value))
      .map(([name, value]) => [name, copy(value)]),
  );
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isRecord(value)) return value;
  const { allOf: parts, description: _, ...rest } = value;
  const single = Array.isArray(parts) && parts.length === 1 && Object.keys(rest).length === 0;
  return single ? copy(parts[0]) : copyObject(value);
}

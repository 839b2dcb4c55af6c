import * as z from 'zod/mini';

import { isRecord } from '../../schemas/record.ts';
import type { Json, FieldDocs } from './docs.ts';
import { tags } from './tags/index.ts';

/** Every named schema of the document, made from the schemas by which the gateway works. */
export function componentSchemas(): Json {
  const named = tags.flatMap((page) => Object.entries(page.schemas));
  const registry = z.registry<{ id: string }>();
  for (const [id, { schema }] of named) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => reference(id).$ref,
    override: ({ jsonSchema }) => {
      // The bounds of safe integers say nothing to a reader.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.fromEntries(
    named.map(([id, { description, fields, example }]) => {
      const { $id: _, ...made } = { ...schemas[id] };
      const schema = copied(made);
      for (const [path, note] of Object.entries(fields)) annotate(id, schema, path, note);
      return [id, { description, ...schema, ...(example === undefined ? {} : { example }) }];
    }),
  );
}

/** The name under which the document has a schema of the table of endpoints. */
export function nameOf(schema: z.ZodMiniType | undefined): string {
  for (const page of tags) {
    const found = Object.entries(page.schemas).find(([, named]) => named.schema === schema);
    if (found !== undefined) return found[0];
  }
  throw new TypeError('No page names this schema');
}

/** Points at a named schema. */
export function reference(id: string): { $ref: string } {
  return { $ref: `#/components/schemas/${id}` };
}

/** A value that fits one of some named schemas. */
export function anyOf(ids: readonly string[]): Json {
  const references = ids.map(reference);
  return references.length === 1 ? { ...references[0] } : { anyOf: references };
}

/** What a note adds to a schema. */
export function toSchemaFields(note: FieldDocs): Json {
  return typeof note === 'string' ? { description: note } : { ...note };
}

function annotate(id: string, schema: Json, path: string, note: FieldDocs): void {
  const field = path.split('.').reduce<unknown>(step, schema);
  // A note that nobody can read is a mistake in a page: the tests ask for the document.
  if (!isRecord(field)) throw new TypeError(`${id} has no field ${path}`);
  Object.assign(field, toSchemaFields(note));
}

/** From a schema to that of one of its fields; `[]` goes on to the items of a list. */
function step(schema: unknown, name: string): unknown {
  const plain = name.replaceAll('[]', '');
  const field = holders(schema)
    .map(({ properties }) => (isRecord(properties) ? properties[plain] : undefined))
    .find((found) => found !== undefined);
  if (!name.endsWith('[]')) return field;
  return isRecord(field) ? field.items : undefined;
}

/** A schema and the parts that it is put together from. */
function holders(schema: unknown): Json[] {
  if (!isRecord(schema)) return [];
  const parts: unknown[] = Array.isArray(schema.allOf) ? schema.allOf : [];
  return [schema, ...parts.filter(isRecord)];
}

/** A copy in which nothing is shared, and in which what is all of one thing is that thing. */
function copied(schema: object): Json {
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, copy(part)]));
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isRecord(value)) return value;
  const { allOf: parts, ...others } = value;
  const single = Array.isArray(parts) && parts.length === 1 && Object.keys(others).length === 0;
  return single ? copy(parts[0]) : copied(value);
}

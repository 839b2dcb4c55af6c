import * as z from 'zod/mini';

import { nearestName } from '../types/nearest-name.ts';
import { unchecked } from '../types/schema.ts';
import type { OpenString } from '../types/schema.ts';

/** The names of the fields of an interface, without its index signature. */
type FieldName<T> = keyof {
  [Key in keyof T as string extends Key ? never : Key]: T[Key];
};

/** A schema whose input and output are of the same type. */
export type Schema<T> = z.ZodMiniType<T, T>;

/** Each field of an interface: its description and its schema. Without a field, or with a wrong type, it does not compile. */
type Shape<T> = { readonly [Key in FieldName<T>]-?: readonly [string, Schema<T[Key]>] };

/** The reverse of `Shape`: a schema that accepts less than its field allows does not compile. */
type Complete<T, Fields> = {
  readonly [Key in keyof Fields]: Key extends keyof T
    ? Fields[Key] extends readonly [string, z.ZodMiniType<infer Output>]
      ? [T[Key]] extends [Output]
        ? Fields[Key]
        : never
      : never
    : never;
};

/** A type with an optional field that its interface requires: bodies without it are valid as well. */
export type WithOptional<T, Key extends keyof T> = Omit<T, Key> & {
  [Optional in Key]?: T[Optional] | undefined;
};

/**
 * Creates the schema of a record: every field of its interface, with its description. Unknown fields are kept. The
 * schema accepts exactly what the interface allows, or it does not compile.
 */
/* @__NO_SIDE_EFFECTS__ */
export function recordSchema<T extends object, Fields extends Shape<T>>(
  shape: Fields & Complete<T, Fields>,
): Schema<T> {
  return unchecked(z.looseObject(described(shape)));
}

/** Creates the schema of an object in a request. Like a record, but an unknown field is an issue. */
/* @__NO_SIDE_EFFECTS__ */
export function paramsSchema<T extends object, Fields extends Shape<T>>(
  shape: Fields & Complete<T, Fields>,
): Schema<T> {
  const known = Object.keys(shape);
  const error: z.core.$ZodErrorMap = (issue) => {
    if (issue.code !== 'unrecognized_keys') return undefined;
    knownFields.set(issue.keys, known);
    return unknownFields(issue.keys, known);
  };
  return unchecked(z.strictObject(described(shape), { error }));
}

/** The fields that an object can have, by the list of unknown ones in the issue about it. */
const knownFields = new WeakMap<readonly string[], readonly string[]>();

/** A field whose name is probably a misspelled one. */
export interface MisspelledField {
  readonly path: readonly PropertyKey[];
  readonly nearest: string;
}

/** The first field among the unknown ones of some issues that is named almost like a known one. */
export function misspelledField(
  issues: readonly z.core.$ZodIssue[],
  parent: readonly PropertyKey[] = [],
): MisspelledField | undefined {
  for (const issue of issues) {
    const path = [...parent, ...issue.path];
    const inner = issue.code === 'invalid_union' && misspelledField(issue.errors.flat(), path);
    if (inner) return inner;
    const { keys = [] } = issue.code === 'unrecognized_keys' ? issue : {};
    for (const name of keys) {
      const nearest = nearestName(name, knownFields.get(keys) ?? []);
      if (nearest !== undefined) return { path: [...path, name], nearest };
    }
  }
  return undefined;
}

/** Adds limits to the schema of a value. */
/* @__NO_SIDE_EFFECTS__ */
export function limited<T>(
  schema: Schema<T>,
  ...checks: z.core.$ZodCheck<NoInfer<T>>[]
): Schema<T> {
  return schema.check(...checks);
}

/** Creates the schema of a date. JSON has none, so a JSON schema describes what `JSON.stringify` makes of it. */
/* @__NO_SIDE_EFFECTS__ */
export function date(): Schema<Date> {
  const schema = z.date();
  const { _zod: internals } = schema;
  internals.toJSONSchema = () => ({ type: 'string', format: 'date-time' });
  return schema;
}

/** Creates the schema of an {@link OpenString} union. It accepts any string and offers the known ones as examples. */
/* @__NO_SIDE_EFFECTS__ */
export function openString<const Known extends string>(
  ...known: Known[]
): Schema<OpenString<Known>> {
  const schema = z.string();
  return known.length === 0 ? schema : schema.register(z.globalRegistry, { examples: known });
}

/** Creates the schema of an array that is not changed. */
/* @__NO_SIDE_EFFECTS__ */
export function listOf<Item>(item: Schema<Item>): Schema<readonly Item[]> {
  return z.array(item);
}

/**
 * Creates the schema of one of several types, such as a text or a list. If something inside of the value is wrong, the
 * message says what and where. That of zod says only that the value is of neither type.
 */
/* @__NO_SIDE_EFFECTS__ */
export function either<const Options extends readonly z.ZodMiniType[]>(
  ...options: Options
): z.ZodMiniType<z.output<Options[number]>, z.input<Options[number]>> {
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === 'invalid_union' ? innerProblem(issue.errors.flat()) : undefined;
  return unchecked(z.union(options, { error }));
}

/** Creates the schema of one of several objects, which the value of a field distinguishes. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const Options extends readonly z.ZodMiniType[]>(
  field: string,
  options: Options,
): z.ZodMiniType<z.output<Options[number]>, z.input<Options[number]>> {
  const [first, ...others] = unchecked<z.core.$ZodTypeDiscriminable[]>(options);
  return unchecked(
    first === undefined ? z.never() : z.discriminatedUnion(field, [first, ...others]),
  );
}

/** Returns the schema of each field with its description. A schema can be shared, so each field gets its own. */
/* @__NO_SIDE_EFFECTS__ */
export function described(
  shape: Readonly<Record<string, readonly [string, z.ZodMiniType]>>,
): Record<string, z.ZodMiniType> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, [description, schema]]) => [
      name,
      schema.clone().register(z.globalRegistry, { description }),
    ]),
  );
}

/** Describes fields that are not known, with the names that were probably meant. */
export function unknownFields(names: readonly string[], known: readonly string[]): string {
  return names
    .map((name) => {
      const nearest = nearestName(name, known);
      return `${name}: unknown field.${nearest ? ` Did you mean ${nearest}?` : ''}`;
    })
    .join(' ');
}

/** A problem inside of a value, after its position, such as `[0].image_url: `. A misspelled field explains a missing one. */
function innerProblem(issues: readonly z.core.$ZodIssue[]): string | undefined {
  const inner =
    issues.find(({ code }) => code === 'unrecognized_keys') ??
    issues.find(({ path }) => path.length > 0);
  if (!inner) return undefined;
  const position = inner.path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
  return [position, inner.message].filter(Boolean).join(': ');
}

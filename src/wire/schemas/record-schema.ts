import * as z from 'zod/mini';

import { nearestName } from '../types/nearest-name.ts';
import { unchecked } from '../types/schema.ts';
import type { OpenString } from '../types/schema.ts';

/** The names of the fields of an interface, without its index signature. */
type FieldName<T> = keyof {
  [Key in keyof T as string extends Key ? never : Key]: T[Key];
};

/** The descriptions of the fields of an interface. `scripts/schema-docs.ts` makes them of its doc comments. */
export interface Docs<T> {
  readonly fields: { readonly [Key in FieldName<T>]-?: string };
  /** Type-level only: the interface. */
  readonly type?: T;
}

/** One zod schema per field of the interface. A missing field, or one of the wrong type, does not compile. */
type Shape<T> = { readonly [Key in FieldName<T>]-?: z.ZodMiniType<T[Key], T[Key]> };

/** The reverse of `Shape`: a schema that accepts less than its field allows does not compile. */
type Complete<T, Fields> = {
  readonly [Key in keyof Fields]: Key extends keyof T
    ? [T[Key]] extends [z.output<Fields[Key]>]
      ? Fields[Key]
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
  docs: Docs<T>,
  shape: Fields & Complete<T, Fields>,
): z.ZodMiniType<T, T> {
  return unchecked(z.looseObject(describe(docs.fields, shape)));
}

/** Creates the schema of an object in a request. Like a record, but an unknown field is an issue. */
/* @__NO_SIDE_EFFECTS__ */
export function paramsSchema<T extends object, Fields extends Shape<T>>(
  docs: Docs<T>,
  shape: Fields & Complete<T, Fields>,
): z.ZodMiniType<T, T> {
  const known = Object.keys(shape);
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === 'unrecognized_keys' ? unknownFields(issue.keys, known) : undefined;
  return unchecked(z.strictObject(describe(docs.fields, shape), { error }));
}

/** Creates the schema of an {@link OpenString} union. It accepts any string and offers the known ones as examples. */
/* @__NO_SIDE_EFFECTS__ */
export function openString<const Known extends string>(
  ...known: Known[]
): z.ZodMiniType<OpenString<Known>, OpenString<Known>> {
  const schema = z.string();
  return known.length === 0 ? schema : schema.register(z.globalRegistry, { examples: known });
}

/** Creates the schema of an array that is not changed. */
/* @__NO_SIDE_EFFECTS__ */
export function listOf<Item>(
  item: z.ZodMiniType<Item, Item>,
): z.ZodMiniType<readonly Item[], readonly Item[]> {
  return z.array(item);
}

/**
 * Creates the schema of one of two types, such as a text or a list. If something inside of the value is wrong, the message
 * says what and where. That of zod says only that the value is of neither type.
 */
/* @__NO_SIDE_EFFECTS__ */
export function either<One, Other>(
  one: z.ZodMiniType<One, One>,
  other: z.ZodMiniType<Other, Other>,
): z.ZodMiniType<One | Other, One | Other> {
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === 'invalid_union' ? innerProblem(issue.errors.flat()) : undefined;
  return z.union([one, other], { error });
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

/** Describes the fields of a shape. A schema can be shared, so each field gets its own. */
/* @__NO_SIDE_EFFECTS__ */
export function describe(
  fields: Readonly<Record<string, string>>,
  shape: Readonly<Record<string, z.ZodMiniType>>,
): Record<string, z.ZodMiniType> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const description = fields[name] ?? '';
      return [name, schema.clone().register(z.globalRegistry, { description })];
    }),
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

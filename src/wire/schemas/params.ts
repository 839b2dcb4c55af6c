import * as z from 'zod/mini';

import { unchecked } from '../types/schema.ts';
import { isRecord } from '../types/type-guards.ts';
import type { FieldProblem } from '../types/type-guards.ts';
import { described } from './record-schema.ts';
import type { Schema } from './record-schema.ts';

/**
 * Adds a rule that concerns several fields. `problemOf` is one of the functions with which the client checks params.
 *
 * The result is the type of the params, a union if one of several fields is required. Its schema is one object, because
 * tools and forms need one.
 */
/* @__NO_SIDE_EFFECTS__ */
export function withProblem<T>(
  schema: z.ZodMiniType,
  problemOf: (params: Record<string, unknown>) => FieldProblem | undefined,
): Schema<T> {
  return unchecked(
    schema.check(({ value, issues }) => {
      const problem = isRecord(value) ? problemOf(value) : undefined;
      if (problem === undefined) return;
      const [field, rule] = problem;
      const path = pathOf(field);
      issues.push({ code: 'custom', message: `${field}: ${rule}`, path, input: value });
    }),
  );
}

/** The path of a field such as `content[0].text`. */
function pathOf(field: string): PropertyKey[] {
  return field
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

type Changes = Readonly<Record<string, z.ZodMiniType>>;

/**
 * Returns the shape of params as the service accepts it: unknown fields are kept, and neither ranges nor rules that
 * concern several fields are checked. `changes` replaces the schemas of fields
 * by name, including in nested objects.
 */
/* @__NO_SIDE_EFFECTS__ */
export function accepted<Body extends object>(
  params: z.ZodMiniType,
  changes: Changes = {},
): z.ZodMiniType<Body> {
  const shape = Object.entries(fieldsOf(params)).map(([name, field]) => {
    return [name, documented(changes[name] ?? loose(field, changes), field)];
  });
  return unchecked(z.looseObject(Object.fromEntries(shape)));
}

/**
 * Returns one object with the fields of several, as the service accepts it. The field that tells them apart can have any
 * value, and fields that not all of them have are optional.
 */
/* @__NO_SIDE_EFFECTS__ */
export function acceptedAny<Body extends object>(union: z.ZodMiniType): z.ZodMiniType<Body> {
  if (!(union instanceof z.ZodMiniDiscriminatedUnion)) throw new TypeError('There is one object');
  const { _zod: internals } = union;
  const { options, discriminator } = internals.def;
  const all = options.map((option) => fieldsOf(inner(option)));
  const entries = all.flatMap((fields) => Object.entries(fields)).toReversed();
  const shape = [...new Map(entries)].toReversed().map(([name, field]) => {
    const schema = name === discriminator ? z.string() : loose(field, {});
    const isRequired = all.every((fields) => name in fields);
    return [name, documented(isRequired ? schema : z.optional(schema), field)];
  });
  return unchecked(z.looseObject(Object.fromEntries(shape)));
}

/** Returns params with some of their fields. */
/* @__NO_SIDE_EFFECTS__ */
export function pick(params: z.ZodMiniType, ...names: string[]): z.ZodMiniType {
  const fields = Object.entries(fieldsOf(params)).filter(([name]) => names.includes(name));
  return z.looseObject(Object.fromEntries(fields));
}

/** Returns the schemas of the fields of params, by name. */
/* @__NO_SIDE_EFFECTS__ */
export function fieldsOf(params: z.ZodMiniType): Readonly<Record<string, z.ZodMiniType>> {
  if (!(params instanceof z.ZodMiniObject)) throw new TypeError('Params are an object');
  return unchecked(params.shape);
}

/** Creates the schema of some fields as the service accepts them, each with its description. */
/* @__NO_SIDE_EFFECTS__ */
export function acceptedFields<Body extends object = object>(
  shape: Readonly<Record<string, readonly [string, z.ZodMiniType]>>,
): z.ZodMiniType<Body> {
  return unchecked(z.looseObject(described(shape)));
}

/** Copies the description of a schema to another one. */
function documented(schema: z.ZodMiniType, original: z.ZodMiniType): z.ZodMiniType {
  const meta = z.globalRegistry.get(original);
  return meta === undefined ? schema : schema.clone().register(z.globalRegistry, meta);
}

function loose(schema: z.ZodMiniType, changes: Changes): z.ZodMiniType {
  const part = (of: z.core.$ZodType) => documented(loose(inner(of), changes), inner(of));
  if (schema instanceof z.ZodMiniObject) return accepted(schema, changes);
  if (schema instanceof z.ZodMiniOptional) return z.optional(part(schema.def.innerType));
  if (schema instanceof z.ZodMiniNullable) return z.nullable(part(schema.def.innerType));
  if (schema instanceof z.ZodMiniArray) return z.array(part(schema.def.element));
  const { checks = [], ...def } = schema.def;
  return checks.length > 0 ? schema.clone(def) : schema;
}

/** zod declares the parts of its schemas as any kind of schema; those here are all of zod/mini. */
const inner = (schema: z.core.$ZodType): z.ZodMiniType => unchecked(schema);

import * as z from 'zod/mini';

import { unchecked } from '../types/schema.ts';
import { describe } from './record-schema.ts';

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
  if (!(params instanceof z.ZodMiniObject)) throw new TypeError('Params are an object');
  const fields: Readonly<Record<string, z.ZodMiniType>> = unchecked(params.shape);
  const shape = Object.entries(fields).map(([name, field]) => {
    return [name, documented(changes[name] ?? loose(field, changes), field)];
  });
  return unchecked(z.looseObject(Object.fromEntries(shape)));
}

/** Creates the schema of some fields as the service accepts them, with their descriptions. */
/* @__NO_SIDE_EFFECTS__ */
export function acceptedFields<Body extends object = object>(
  fields: Readonly<Record<string, string>>,
  shape: Readonly<Record<string, z.ZodMiniType>>,
): z.ZodMiniType<Body> {
  return unchecked(z.looseObject(describe(fields, shape)));
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

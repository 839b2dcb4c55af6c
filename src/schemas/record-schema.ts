import * as z from 'zod/mini';

import { unchecked } from './schema.ts';
import type { Open } from './schema.ts';

/** One zod schema a key, each agreeing with the interface; a missing or mistyped key does not compile. */
type Shape<T> = { readonly [Key in keyof T]-?: z.ZodMiniType<T[Key]> };

/**
 * The whole record of the specification, every field checked. The reference gateway answers with it and documents
 * itself from it; the client never refuses an answer because of it.
 *
 * Constants of this kind are made inside a pure arrow that is called at once: a bundler can drop all of it, whereas it
 * keeps the calls that stand in the arguments of a pure call.
 */
/* @__NO_SIDE_EFFECTS__ */
export function recordSchema<T extends object>(shape: Shape<T>): z.ZodMiniType<T> {
  return unchecked(z.looseObject(shape));
}

/**
 * A request body: documented fields have the documented JSON type, fields of a single model pass through. The
 * reference gateway refuses what does not fit; the client sends what it is given.
 */
/* @__NO_SIDE_EFFECTS__ */
export function bodySchema<T extends object>(shape: Shape<T>): z.ZodMiniType<T> {
  return unchecked(z.looseObject(shape));
}

/** The schema of an {@link Open} union: any string. */
/* @__NO_SIDE_EFFECTS__ */
export function openString<Known extends string>(): z.ZodMiniType<Open<Known>> {
  return z.string();
}

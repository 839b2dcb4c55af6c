import * as z from 'zod/mini';

import { unchecked } from './schema.ts';
import type { Open } from './schema.ts';

/** One zod schema per field of the interface. A missing field, or one of the wrong type, does not compile. */
type Shape<T> = { readonly [Key in keyof T]-?: z.ZodMiniType<T[Key]> };

/**
 * The full record as the specification documents it, with every field checked. The reference gateway builds its
 * responses and its OpenAPI document from it. The client does not use it to validate responses.
 *
 * Constants of this kind are created by an immediately invoked arrow function marked as pure. Bundlers can drop the
 * entire expression; with a pure call alone, they would keep the calls in its arguments.
 */
/* @__NO_SIDE_EFFECTS__ */
export function recordSchema<T extends object>(shape: Shape<T>): z.ZodMiniType<T> {
  return unchecked(z.looseObject(shape));
}

/**
 * A request body: documented fields must have the documented JSON type, and unknown fields pass through. The reference
 * gateway rejects bodies that do not match; the client sends params unchanged.
 */
/* @__NO_SIDE_EFFECTS__ */
export function bodySchema<T extends object>(shape: Shape<T>): z.ZodMiniType<T> {
  return unchecked(z.looseObject(shape));
}

/** Schema of an {@link Open} union. Accepts any string. */
/* @__NO_SIDE_EFFECTS__ */
export function openString<Known extends string>(): z.ZodMiniType<Open<Known>> {
  return z.string();
}

import * as z from 'zod/mini';

import { unchecked } from '../types/schema.ts';
import type { OpenString } from '../types/schema.ts';

/** One zod schema per field of the interface. A missing field, or one of the wrong type, does not compile. */
type Shape<T> = { readonly [Key in keyof T]-?: z.ZodMiniType<T[Key]> };

/** A type with an optional field that its interface requires: bodies without it are valid as well. */
export type WithOptional<T, Key extends keyof T> = Omit<T, Key> & {
  [Optional in Key]?: T[Optional] | undefined;
};

/**
 * Creates the schema of a full record, with every field that the specification documents. The reference gateway builds
 * its OpenAPI document from these schemas. The client does not validate responses with them.
 *
 * Constants of this kind are created by an immediately invoked arrow function marked as pure. Bundlers can drop the
 * entire expression; with a pure call alone, they would keep the calls in its arguments.
 */
export function recordSchema<T extends object>(shape: Shape<T>): z.ZodMiniType<T> {
  return unchecked(z.looseObject(shape));
}

/**
 * Creates the schema of a request body: documented fields must have the documented JSON type, and unknown fields pass
 * through. The reference gateway rejects bodies that do not match; the client sends params unchanged.
 */
export function bodySchema<T extends object>(shape: Shape<T>): z.ZodMiniType<T> {
  return recordSchema(shape);
}

/** Creates the schema of an {@link OpenString} union. It accepts any string. */
export function openString<Known extends string>(): z.ZodMiniType<OpenString<Known>> {
  return z.string();
}

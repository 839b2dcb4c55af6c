import type { SchemaIssue } from './standard-schema.ts';
import { isRecord } from './type-guards.ts';

/** A string with known values: an editor suggests them, and any other string is allowed. */
export type OpenString<Known extends string> = Known | (string & {});

/** Returns a value as type `T` without checking it. Used where the client keeps data from the service as is. */
export function unchecked<T>(value: unknown): T {
  return value as T;
}

/** Returns a copy of a record without its undefined fields. */
export function omitUndefined<T extends object>(
  record: T,
): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return unchecked(
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
  );
}

/** Returns the first issue found in a value, or undefined. */
type Validate = (value: unknown, path: readonly PropertyKey[]) => SchemaIssue | undefined;

/** @hidden The checks that the client runs on part of a response. They never modify the value. */
export interface ResponseSchema<Value> {
  readonly validate: Validate;
  /** Type-level only: the type of a valid value. */
  readonly value?: Value;
}

/**
 * Creates the schema of a response record, as the client validates it. Only the listed fields, which the client itself
 * depends on, are checked; unexpected values in other fields are kept. The listed fields must match the interface.
 *
 * The checks are written by hand because they run on every response and are part of every bundle. The full records are
 * zod schemas, which only the reference gateway uses.
 */
/* @__NO_SIDE_EFFECTS__ */
export function responseSchema<T extends object>(checks: {
  readonly [Key in keyof T]?: ResponseSchema<NonNullable<T[Key]>>;
}): ResponseSchema<T> {
  const fields = Object.entries<ResponseSchema<unknown> | undefined>(checks);
  return {
    validate: (value, path) =>
      isRecord(value)
        ? fields.map(([name, field]) => field?.validate(value[name], [...path, name])).find(Boolean)
        : { message: 'must be an object', path },
  };
}

/** The schema of a record whose fields the client does not depend on. */
export const anyRecord = /* @__PURE__ */ unchecked<ResponseSchema<never>>(responseSchema({}));

/** Creates the schema of a required array whose items are checked. */
/* @__NO_SIDE_EFFECTS__ */
export function arrayField<Item>(item: ResponseSchema<Item>): ResponseSchema<Item[]> {
  return {
    validate: (value, path) =>
      Array.isArray(value)
        ? value.map((entry: unknown, index) => item.validate(entry, [...path, index])).find(Boolean)
        : { message: 'must be an array', path },
  };
}

/** Schema of a required string. */
export const stringField: ResponseSchema<string> = {
  validate: (value, path) =>
    typeof value === 'string' ? undefined : { message: 'must be a string', path },
};

/** Creates the schema of a string that may be null or absent. */
/* @__NO_SIDE_EFFECTS__ */
export function optionalString<Form extends string = string>(): ResponseSchema<Form> {
  return { validate: (value, path) => stringField.validate(value ?? '', path) };
}

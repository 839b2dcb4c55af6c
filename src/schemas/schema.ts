import { isRecord } from './record.ts';
import type { SchemaIssue } from './standard-schema.ts';

/** A closed list that may grow: the known words autocomplete, any other string is allowed. */
export type Open<Known extends string> = Known | (string & {});

/** A value taken as documented without a check: what the service sends is kept, whatever it is. */
export function unchecked<T>(value: unknown): T {
  return value as T;
}

/** A record without its undefined fields. */
export function omitUndefined<T extends object>(
  record: T,
): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return unchecked(
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
  );
}

/** Finds the first place where a value is not what the client needs. */
type Validate = (value: unknown, path: readonly PropertyKey[]) => SchemaIssue | undefined;

/** What the client needs of a value, which it never changes. */
export interface ResponseSchema<Value> {
  readonly validate: Validate;
  /** Only for the compiler: what a value is that has nothing wrong with it. */
  readonly value?: Value;
}

/**
 * A record as the client reads it: only what the client itself relies on is checked, so a surprise in any other field
 * is kept and never an error. What is listed must agree with the interface. By hand, because it runs for every answer
 * and in every bundle; the whole records are checked by zod, where the reference gateway answers with them.
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

/** A list whose items the client relies on. */
/* @__NO_SIDE_EFFECTS__ */
export function arrayField<Item>(item: ResponseSchema<Item>): ResponseSchema<Item[]> {
  return {
    validate: (value, path) =>
      Array.isArray(value)
        ? value.map((entry: unknown, index) => item.validate(entry, [...path, index])).find(Boolean)
        : { message: 'must be an array', path },
  };
}

/** A string that the client relies on. */
export const stringField: ResponseSchema<string> = {
  validate: (value, path) =>
    typeof value === 'string' ? undefined : { message: 'must be a string', path },
};

/** A string that the client uses when it is there; it may be null or absent. */
/* @__NO_SIDE_EFFECTS__ */
export function optionalString<Form extends string = string>(): ResponseSchema<Form> {
  return { validate: (value, path) => stringField.validate(value ?? '', path) };
}

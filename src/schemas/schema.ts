import { isRecord } from './record.ts';
import type { SchemaIssue, StandardSchema } from './standard-schema.ts';

/** A closed list that may grow: the known words autocomplete, any other string is allowed. */
export type Open<Known extends string> = Known | (string & {});

/** A value taken as documented without a check: what the service sends is kept, whatever it is. */
export function unchecked<T>(value: unknown): T {
  return value as T;
}

/** A record without its undefined fields. */
export function given<T extends object>(
  record: T,
): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return unchecked(
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
  );
}

/** Finds the first place where a value is not what the client needs. */
type Look = (value: unknown, path: readonly PropertyKey[]) => SchemaIssue | undefined;

/** What the client needs of a value; a Standard Schema that changes nothing. */
export interface Needed<Value> extends StandardSchema<Value> {
  readonly look: Look;
}

/**
 * A record as the client reads it: only what the client itself relies on is checked, so a surprise in any other field
 * is kept and never an error. What is listed must agree with the interface. By hand, because it runs for every answer
 * and in every bundle; the whole records are checked by zod, where the reference gateway answers with them.
 */
/* @__NO_SIDE_EFFECTS__ */
export function received<T extends object>(needed: {
  readonly [Key in keyof T]?: Needed<NonNullable<T[Key]>>;
}): Needed<T> {
  const fields = Object.entries<Needed<unknown> | undefined>(needed);
  return need((value, path) => {
    if (!isRecord(value)) return { message: 'must be an object', path };
    return fields.map(([name, field]) => field?.look(value[name], [...path, name])).find(Boolean);
  });
}

/** A list whose items the client relies on. */
/* @__NO_SIDE_EFFECTS__ */
export function list<Item>(item: Needed<Item>): Needed<Item[]> {
  return need((value, path) => {
    if (!Array.isArray(value)) return { message: 'must be an array', path };
    return value.map((entry: unknown, index) => item.look(entry, [...path, index])).find(Boolean);
  });
}

/** A string that the client relies on. */
export const text = /* @__PURE__ */ need<string>((value, path) =>
  typeof value === 'string' ? undefined : { message: 'must be a string', path },
);

/** A string that the client uses when it is there; it may be null or absent. */
/* @__NO_SIDE_EFFECTS__ */
export function maybeText<Form extends string = string>(): Needed<Form> {
  return need((value, path) =>
    value === undefined || value === null ? undefined : text.look(value, path),
  );
}

/* @__NO_SIDE_EFFECTS__ */
function need<Value>(look: Look): Needed<Value> {
  const validate = (value: unknown) => {
    const issue = look(value, []);
    return issue === undefined ? { value: unchecked<Value>(value) } : { issues: [issue] };
  };
  return { look, '~standard': { version: 1, vendor: 'polygate', validate } };
}

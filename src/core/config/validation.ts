import { ConfigurationError } from '../../errors/configuration.ts';
import { unknownOption } from '../../schemas/nearest-name.ts';
import { omitUndefined } from '../../schemas/schema.ts';
import { isSchema } from '../../schemas/standard-schema.ts';
import { isRecord } from '../../schemas/type-guards.ts';

/** A check, and the words that complete "must be …" in its error message. */
export type Rule = readonly [isValid: (value: unknown) => boolean, description: string];

/**
 * Checks a value; undefined is always valid. The message never quotes the value, which may be secret.
 *
 * @throws {@link ConfigurationError} that names the value and the rule.
 */
export function checkValue(name: string, value: unknown, [isValid, description]: Rule): void {
  if (value !== undefined && !isValid(value)) {
    throw new ConfigurationError(`${name}: must be ${description}.`);
  }
}

/** The rules of the options that a function accepts, by option name. */
export type Rules = Readonly<Record<string, Rule>>;

/** Excludes arrays, signals, maps and `Headers`, because their contents would be ignored. */
export const plainObject: Rule = [
  (value) => Object.prototype.toString.call(value) === '[object Object]',
  'a plain object',
];

/**
 * Checks options against one or more tables of rules. A name that is in none of them is rejected: with a misspelled
 * `idempotencyKey`, a caller's own retry would pay twice.
 *
 * @throws {@link ConfigurationError} that names the option, and the nearest known name if it is unknown.
 */
export function checkOptions(options: object, ...tables: readonly Rules[]): void {
  checkValue('options', options, plainObject);
  for (const [name, value] of Object.entries(options)) {
    const rule = tables.find((rules) => Object.hasOwn(rules, name))?.[name];
    if (rule === undefined) {
      throw new ConfigurationError(unknownOption(name, tables.flatMap(Object.keys)));
    }
    checkValue(name, value, rule);
  }
}

/* @__NO_SIDE_EFFECTS__ */
const numberAtLeast =
  (min: number, step = 0) =>
  (value: unknown) =>
    typeof value === 'number' && value >= min && !(value % step);
/* @__NO_SIDE_EFFECTS__ */
const matches = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value);

/** One of the given words. */
/* @__NO_SIDE_EFFECTS__ */
export const oneOf = (...words: readonly string[]): Rule => [
  (value) => words.some((word) => word === value),
  `one of ${words.join(', ')}`,
];

/** An object with the given methods. */
/* @__NO_SIDE_EFFECTS__ */
export const objectWithMethods = (...names: string[]): Rule => [
  (value) => isRecord(value) && names.every((name) => typeof value[name] === 'function'),
  `an object with ${names.join('(), ')}()`,
];

/** A replacement for the system clock. */
export const clockValue: Rule = /* @__PURE__ */ objectWithMethods('now', 'sleep');

/** An object with no other fields than the given ones, each valid. Fields in `required` must not be missing. */
/* @__NO_SIDE_EFFECTS__ */
export const objectWithFields = (
  rules: Readonly<Record<string, Rule>>,
  required: object = {},
): Rule => [
  (value) =>
    isRecord(value) &&
    Object.entries<unknown>({ ...required, ...omitUndefined(value) }).every(
      ([name, entry]) => Object.hasOwn(rules, name) && rules[name]?.[0](entry),
    ),
  `an object with ${Object.entries(rules)
    .map(([name, [, description]]) => `${name}: ${description}`)
    .join('; ')}`,
];

export const stringValue: Rule = [matches(/^/), 'a string'];
export const nonNegativeNumber: Rule = [numberAtLeast(0), 'a non-negative number'];
export const durationMs: Rule = [numberAtLeast(1), 'a duration of at least 1 ms'];
export const nonNegativeInteger: Rule = [numberAtLeast(0, 1), 'a non-negative integer'];
export const positiveInteger: Rule = [numberAtLeast(1, 1), 'a positive integer'];
export const booleanValue: Rule = [(value) => typeof value === 'boolean', 'true or false'];
export const functionValue: Rule = [(value) => typeof value === 'function', 'a function'];
export const concurrencyValue: Rule = [
  (value) => value === 'auto' || value === false || positiveInteger[0](value),
  `'auto', false or ${positiveInteger[1]}`,
];
export const headerName: Rule = [matches(/^[\w!#$%&'*+.^`|~-]+$/), 'a valid header name'];
export const headerValue: Rule = [
  matches(/^[\t -~\u0080-\u00ff]*$/),
  'Latin-1 text without line breaks',
];
/** The value of a header that must not be empty. */
export const headerText: Rule = [
  (value) => headerValue[0](value) && matches(/\S/)(value),
  `non-empty ${headerValue[1]}`,
];
export const standardSchema: Rule = [isSchema, 'a Standard Schema, such as a zod schema'];
export const pathTemplate: Rule = [matches(/^\/.*\{id\}/), 'a path that contains {id}'];
/** `!` to `~` covers all visible ASCII characters and excludes the space. Specification: Limits. */
export const idempotencyKeyRule: Rule = [
  matches(/^[!-~]{1,200}$/),
  '1 to 200 visible ASCII characters without spaces',
];

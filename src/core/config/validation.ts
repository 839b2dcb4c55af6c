import { ConfigurationError } from '../../errors/configuration.ts';
import { nearestName, unknownOption } from '../../schemas/nearest-name.ts';
import { omitUndefined } from '../../schemas/schema.ts';
import { isSchema } from '../../schemas/standard-schema.ts';
import { isRecord } from '../../schemas/type-guards.ts';

/**
 * A check, and the words that complete "must be …" in its error message. The check is passed the name of the value, so
 * that it can throw an error about a part of it.
 */
export type Rule = readonly [
  isValid: (value: unknown, name: string) => boolean,
  description: string,
];

/** A rule whose check needs no name. */
type ValueRule = readonly [isValid: (value: unknown) => boolean, description: string];

/**
 * Checks a value; undefined is always valid. The message never quotes the value, which may be secret.
 *
 * @throws {@link ConfigurationError} that names the value and the rule.
 */
export function checkValue(name: string, value: unknown, [isValid, description]: Rule): void {
  if (value !== undefined && !isValid(value, name)) {
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
  checkFields('', options, tables);
}

/** Checks the fields of an object. `prefix` stands before their names in messages. */
function checkFields(prefix: string, fields: object, tables: readonly Rules[]): void {
  for (const [name, value] of Object.entries(fields)) {
    const rule = tables.find((rules) => Object.hasOwn(rules, name))?.[name];
    if (rule === undefined) {
      throw new ConfigurationError(
        prefix + unknownOption(name, nearestName(name, tables.flatMap(Object.keys))),
      );
    }
    checkValue(prefix + name, value, rule);
  }
}

/* @__NO_SIDE_EFFECTS__ */
const atLeast = (min: number, step = 0): ValueRule => [
  (value) => typeof value === 'number' && value >= min && !(value % step),
  `${step > 0 ? 'an integer' : 'a number'} of at least ${min}`,
];
/* @__NO_SIDE_EFFECTS__ */
const matches = (pattern: RegExp, description: string): ValueRule => [
  (value) => typeof value === 'string' && pattern.test(value),
  description,
];

/** One of the given words. */
/* @__NO_SIDE_EFFECTS__ */
export const oneOf = (...words: readonly unknown[]): Rule => [
  (value) => words.includes(value),
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

/** An object with no other fields than the given ones, each valid. Fields that are null in `required` must be set. */
/* @__NO_SIDE_EFFECTS__ */
export const objectWithFields = (rules: Rules, required: object = {}): Rule => [
  (value, name) => {
    if (!isRecord(value)) return false;
    checkFields(`${name}.`, { ...required, ...omitUndefined(value) }, [rules]);
    return true;
  },
  'an object',
];

export const stringValue: Rule = /* @__PURE__ */ matches(/^/, 'a string');
export const booleanValue: Rule = [(value) => typeof value === 'boolean', 'true or false'];
export const functionValue: Rule = [(value) => typeof value === 'function', 'a function'];
export const nonNegativeNumber: Rule = /* @__PURE__ */ atLeast(0);
export const durationMs: Rule = /* @__PURE__ */ atLeast(1);
export const nonNegativeInteger: Rule = /* @__PURE__ */ atLeast(0, 1);
export const positiveInteger: ValueRule = /* @__PURE__ */ atLeast(1, 1);
export const concurrencyValue: Rule = [
  (value) => value === 'auto' || value === false || positiveInteger[0](value),
  `'auto', false or ${positiveInteger[1]}`,
];
export const headerName: Rule = matches(/^[\w!#$%&'*+.^`|~-]+$/, 'a valid header name');
export const headerValue: Rule = matches(/^[\t -~\u0080-\u00ff]*$/, 'a line of Latin-1 text');
/** The value of a header that must not be empty. */
export const headerText: ValueRule = matches(
  /^(?=.*\S)[\t -~\u0080-\u00ff]*$/,
  'a non-empty line of Latin-1 text',
);
export const standardSchema: Rule = [isSchema, 'a Standard Schema'];
export const pathTemplate: Rule = matches(/^\/.*\{id\}/, 'a path that contains {id}');
/** `!` to `~` covers all visible ASCII characters and excludes the space. Specification: Limits. */
export const idempotencyKeyRule: Rule = matches(
  /^[!-~]{1,200}$/,
  '1 to 200 visible ASCII characters',
);

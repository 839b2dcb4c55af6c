import { ConfigurationError } from '../../errors/base.ts';
import type { ErrorReason } from '../../errors/base.ts';
import { nearestName, unknownOption } from '../../wire/types/nearest-name.ts';
import { omitUndefined } from '../../wire/types/schema.ts';
import { isSchema } from '../../wire/types/standard-schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';

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

/** What is wrong with a value; undefined is always valid. Never quotes the value, which may be secret. */
function valueProblem(
  name: string,
  value: unknown,
  [isValid, description]: Rule,
): string | undefined {
  return value === undefined || isValid(value, name)
    ? undefined
    : `${name}: must be ${description}.`;
}

/** @throws {@link ConfigurationError} that names the value and the rule, if the value is not valid. */
export function checkValue(name: string, value: unknown, rule: Rule, reason?: ErrorReason): void {
  throwProblem(valueProblem(name, value, rule), reason);
}

function throwProblem(problem: string | undefined, reason?: ErrorReason): void {
  if (problem !== undefined) throw new ConfigurationError(problem, { reason });
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
  throwProblem(optionsProblem(options, tables));
}

/** What is wrong with the first invalid option, named with `prefix`; undefined if all are valid. */
export function optionsProblem(
  options: object,
  tables: readonly Rules[],
  prefix = '',
): string | undefined {
  for (const [name, value] of Object.entries(options)) {
    const rule = tables.find((rules) => Object.hasOwn(rules, name))?.[name];
    const problem = rule
      ? valueProblem(prefix + name, value, rule)
      : prefix + unknownOption(name, nearestName(name, tables.flatMap(Object.keys)));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/* @__NO_SIDE_EFFECTS__ */
const atLeast = (min: number, step = 0, unit = ''): ValueRule => [
  (value) => typeof value === 'number' && value >= min && !(value % step),
  `${step > 0 ? 'an integer' : 'a number'} of ${unit && `${unit}, `}at least ${min}`,
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

/* @__NO_SIDE_EFFECTS__ */
const hasMethods =
  (...names: string[]) =>
  (value: unknown) =>
    isRecord(value) && names.every((name) => typeof value[name] === 'function');

/** An object with the given methods. */
/* @__NO_SIDE_EFFECTS__ */
export const objectWithMethods = (...names: string[]): Rule => [
  hasMethods(...names),
  `an object with ${names.join('(), ')}()`,
];

/** An `AbortSignal`, of any realm. */
export const signalRule: Rule = [/* @__PURE__ */ hasMethods('addEventListener'), 'an AbortSignal'];

/** A replacement for the system clock. */
export const clockValue: Rule = /* @__PURE__ */ objectWithMethods('now', 'sleep');

/** An object with no other fields than the given ones, each valid. Fields that are null in `required` must be set. */
/* @__NO_SIDE_EFFECTS__ */
export const objectWithFields = (rules: Rules, required: object = {}): Rule => [
  (value, name) => {
    if (!isRecord(value)) return false;
    throwProblem(optionsProblem({ ...required, ...omitUndefined(value) }, [rules], `${name}.`));
    return true;
  },
  'an object',
];

export const stringValue: Rule = /* @__PURE__ */ matches(/^/, 'a string');
export const booleanValue: Rule = [(value) => typeof value === 'boolean', 'true or false'];
export const functionValue: Rule = [(value) => typeof value === 'function', 'a function'];
export const nonNegativeNumber: Rule = /* @__PURE__ */ atLeast(0);
export const durationMs: Rule = /* @__PURE__ */ atLeast(1, 0, 'milliseconds');
export const nonNegativeMs: Rule = /* @__PURE__ */ atLeast(0, 0, 'milliseconds');
export const nonNegativeInteger: Rule = /* @__PURE__ */ atLeast(0, 1);
export const positiveInteger: ValueRule = /* @__PURE__ */ atLeast(1, 1);
export const concurrencyValue: Rule = [
  (value) => value === 'auto' || value === false || positiveInteger[0](value),
  `'auto', false or ${positiveInteger[1]}`,
];
export const headerName: Rule = matches(/^[\w!#$%&'*+.^`|~-]+$/, 'a valid header name');
const headerValue: Rule = matches(
  /^[\t -~\u0080-\u00ff]*$/,
  'Latin-1 text without a line break, also at its end',
);
/** The value of a header that must not be empty. */
export const headerText: ValueRule = matches(
  /^(?=.*\S)[\t -~\u0080-\u00ff]*$/,
  'non-empty Latin-1 text without a line break, also at its end',
);
export const standardSchema: Rule = [isSchema, 'a Standard Schema'];
export const pathTemplate: Rule = matches(/^\/.*\{id\}/, 'a path that contains {id}');
/** `!` to `~` covers all visible ASCII characters and excludes the space. Specification: Limits. */
export const idempotencyKeyRule: ValueRule = matches(
  /^[!-~]{1,200}$/,
  '1 to 200 visible ASCII characters',
);

/** Headers to set, or to remove with `null`, by lowercase name. */
export type HeaderChanges = readonly (readonly [name: string, value: string | null])[];

export const noHeaderChanges: HeaderChanges = [];

/** Validates extra headers. The error message does not quote values, which may be secret. */
export function parseHeaderChanges(
  headers?: Readonly<Record<string, string | null | undefined>>,
): HeaderChanges {
  if (!headers) return noHeaderChanges;
  return Object.entries(omitUndefined(headers)).map(([name, value]) => {
    checkValue('headers (name)', name, headerName);
    checkValue(`headers: ${name}`, value ?? undefined, headerValue);
    return [name.toLowerCase(), value];
  });
}

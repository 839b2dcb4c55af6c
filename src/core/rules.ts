import { ConfigurationError } from '../errors/configuration.ts';
import { isRecord } from '../schemas/record.ts';

/** Whether a value is as it must be, and the words that say what it must be. */
export type Rule = readonly [fits: (value: unknown) => boolean, must: string];

/** Refuses a value that breaks its rule; what is not given breaks none. The value itself is never quoted. */
export function check(name: string, value: unknown, [fits, must]: Rule): void {
  if (value !== undefined && !fits(value))
    throw new ConfigurationError(`${name}: must be ${must}.`);
}

const numberFrom = (least: number) => (value: unknown) =>
  typeof value === 'number' && value >= least;
const wholeFrom = (least: number) => (value: unknown) =>
  numberFrom(least)(value) && (value === Infinity || Number.isInteger(value));
const matches = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value);

/** Whether a value has these methods. */
export const has =
  (...names: string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && names.every((name) => typeof value[name] === 'function');

/** Whether a value is an object with some of these fields, each as its rule says. */
export const fields =
  (rules: Readonly<Record<string, Rule>>) =>
  (value: unknown): boolean =>
    isRecord(value) &&
    Object.entries(value).every(
      ([name, entry]) =>
        entry === undefined || (Object.hasOwn(rules, name) && rules[name]?.[0](entry)),
    );

export const nonEmpty: Rule = [matches(/./), 'a non-empty string'];
export const amount: Rule = [numberFrom(0), 'a number, 0 or more'];
export const duration: Rule = [numberFrom(1), 'a number of milliseconds, 1 or more'];
export const count: Rule = [wholeFrom(0), 'a whole number, 0 or more'];
export const bytes: Rule = [wholeFrom(1), 'a whole number of bytes, 1 or more'];
export const flag: Rule = [(value) => typeof value === 'boolean', 'true or false'];
export const callable: Rule = [(value) => typeof value === 'function', 'a function'];
export const slots: Rule = [
  (value) => value === 'auto' || value === false || wholeFrom(1)(value),
  "'auto', false or a whole number, 1 or more",
];
export const headerName: Rule = [matches(/^[\w!#$%&'*+.^`|~-]+$/), 'a header name'];
export const headerValue: Rule = [
  matches(/^[\t\u0020-\u007e\u0080-\u00ff]*$/),
  'text in one line, of Latin-1 characters',
];
export const apiKey: Rule = [
  (value) => headerValue[0](value) && matches(/\S/)(value),
  `a non-empty string: ${headerValue[1]}`,
];
export const pathTemplate: Rule = [
  matches(/^\/.*\{id\}/),
  'a path that begins with / and holds {id}',
];

import { parseArgs } from 'node:util';
import type { ParseArgsOptionsConfig } from 'node:util';

import { PolygateError } from 'polygate';

import { nearestName } from '../../wire/types/nearest-name.ts';

/** The command line is invalid. The message is one line. */
export class UsageError extends Error {}

/** A file of the state folder cannot be read, so that nothing is sent for its request, which may have been charged. */
export class UnreadableEntryError extends UsageError {}

/** The command line has an option that the command does not have. */
export class UnknownOptionError extends UsageError {
  /** The option, with its dashes. */
  readonly option: string;
  /** What follows it, if that can be its value. */
  readonly value: string | undefined;
  /** Whether an option of the command has a similar name. */
  readonly isSimilar: boolean;

  constructor(option: string, value: string | undefined, known: readonly string[]) {
    super(unknownName('option', option, known));
    this.option = option;
    this.value = value;
    this.isSimilar = nearestName(option, known) !== undefined;
  }
}

/** A command needs a package that is not installed. */
export class MissingPackageError extends UsageError {
  readonly packageName: string;

  constructor(packageName: string, cause: unknown) {
    super(`${packageName} is not installed.`, { cause });
    this.packageName = packageName;
  }
}

/** What the help of an option says besides its text. */
interface Details {
  readonly short?: string;
  /** The value without the option. */
  readonly default?: string;
  /** What applies without the option, where that is no fixed value. */
  readonly otherwise?: string;
  /** The environment variable that is used without the option. */
  readonly env?: string;
  /** The field of the request that it sets. */
  readonly field?: string;
  /** The only values that it can have. */
  readonly values?: readonly string[];
  /** Whether that field is a number. */
  readonly isNumber?: boolean;
  /** Its heading in the help, if that is not "Options". */
  readonly group?: string;
}

/** An option, as `parseArgs` and the help read it. */
export interface Option extends Details {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** What its value is, in the help: `<url>`. */
  readonly value?: string;
  readonly help: string;
}

/** An option with a value. */
export function one<const More extends Details>(value: string, help: string, more: More) {
  return { type: 'string' as const, value, help, ...more };
}

/** An option with a value that can be repeated. */
export function many<const More extends Details>(value: string, help: string, more: More) {
  return { type: 'string' as const, multiple: true as const, value, help, ...more };
}

/** An option with one of some values. */
export function choice<const More extends Details>(
  value: string,
  values: readonly string[],
  about: string,
  more: More,
) {
  return one(value, `${about}${anyOf(values)}`, { ...more, values });
}

/** Lists alternatives: `csv, tsv or jsonl`. */
export const anyOf = (values: readonly string[]): string =>
  `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

/** An option without a value. */
export const flag = (help: string) => ({ type: 'boolean', help }) as const;

/** What a command line contains: the values of options, and the other arguments. */
type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true }>
>;

/** Parses options without other arguments. Throws a `UsageError` that suggests the nearest name if one is unknown. */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
): Parsed<Options>['values'] {
  const { values, positionals } = parseArguments(args, options);
  const [unexpected] = positionals;
  if (unexpected === undefined) return values;
  throw new UsageError(`Unexpected argument '${unexpected}'`);
}

/** Parses options and other arguments, in any order. Throws a `UsageError` that suggests the nearest name. */
export function parseArguments<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
): Parsed<Options> {
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(options, name)) {
      const next = args[token.index + 1];
      const given = value ?? (next === undefined || /^-./.test(next) ? undefined : next);
      throw new UnknownOptionError(rawName, given, dashed(Object.keys(options)));
    }
    if (options[name]?.type !== 'string') continue;
    if (value === undefined || (!inlineValue && /^-./.test(value))) {
      throw new UsageError(`${rawName} needs a value; if it starts with -, use ${rawName}=<value>`);
    }
  }
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(lineOf(error));
  }
}

const dashed = (names: readonly string[]) => names.map((name) => `--${name}`);

/** Describes an unknown name, with the nearest known one. */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  return `unknown ${kind} ${name}${suggestion(nearestName(name, known))}`;
}

/** Suggests a name, if there is one. */
export function suggestion(nearest: string | undefined): string {
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/**
 * Finds the command: the first argument that is neither an option nor the value of one. Returns its position, and -1 if
 * there is none.
 */
export function findCommand(args: readonly string[], options: ParseArgsOptionsConfig): number {
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--') return -1;
    if (!/^-./.test(arg)) return index;
    const name = arg.startsWith('--')
      ? arg.slice(2)
      : Object.keys(options).find((known) => `-${options[known]?.short}` === arg);
    const takesValue = name !== undefined && options[name]?.type === 'string';
    if (takesValue && Object.hasOwn(options, name)) index += 1;
  }
  return -1;
}

/** Parses an amount in USD. */
export function parseUsd(name: string, text: string): number {
  const usd = parseDecimal(text);
  if (usd !== undefined && usd > 0) return usd;
  throw new UsageError(
    `${name} must be an amount in USD such as 0.10, above 0, at most 999999999 and with at most 9 decimals, not ${shown(text)}`,
  );
}

/** Parses an integer option. */
export function parseInteger(name: string, text: string, max: number, min = 0): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${name} must be an integer from ${min} to ${max}, not ${shown(text)}`);
}

/** Parses a decimal number such as `0.10`; undefined if the text is anything else. */
export function parseDecimal(text: string): number | undefined {
  return /^(\d{1,9}(\.\d{0,9})?|\.\d{1,9})$/.test(text) ? Number(text) : undefined;
}

/** The value of a JSON text; the text itself if it is not JSON. */
export function parseJsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message of an error in one line. Only Node and other packages write more: the first line says what happened. */
export function lineOf(error: unknown): string {
  const message = messageOf(error);
  const isOwn = typeof error === 'string' || error instanceof UsageError || PolygateError.is(error);
  return isOwn ? message : (message.split('\n')[0] ?? '');
}

/** A value in an error message. Quoted if it is empty. */
export function shown(value: string): string {
  return value === '' ? "''" : value;
}

/** Hides everything that looks like an API key. */
export function maskKeys(text: string): string {
  return text.replaceAll(/\bsk-[^\s'"&]+/g, 'sk-…');
}

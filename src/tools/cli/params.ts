import type { Model } from 'polygate';

import {
  parseDecimal,
  shown,
  unknownName,
  UnknownOptionError,
  UsageError,
  parseJsonOr,
} from './arguments.ts';
import type { Option } from './arguments.ts';
import { batchKinds, commandOptions } from './command-options.ts';
import { readInput } from './terminal.ts';
import { shellWord } from './text.ts';

/** Fields that other options or arguments set. */
const reserved: ReadonlySet<string> = new Set(['model', 'messages', 'prompt', 'stream', 'text']);

/**
 * Parses the arguments of a command that sends requests of these kinds. Throws a `UsageError` that names the `--param` to
 * use, if an unknown option is a field of the request.
 */
export async function parseWithFields<Result>(
  kinds: readonly BatchKind[],
  parse: () => Result,
): Promise<Result> {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof UnknownOptionError)) throw error;
    const { nearestField } = await import('./param-schemas.ts');
    const field = nearestField(error.option, kinds);
    const isField = field !== undefined && error.option === `--${field.replaceAll('_', '-')}`;
    if (field === undefined || reserved.has(field) || (error.isSimilar && !isField)) throw error;
    const value = error.value === undefined ? '<value>' : shellWord(error.value);
    throw new UsageError(`unknown option ${error.option}; use --param ${field}=${value}`, {
      cause: error,
    });
  }
}

/** The fields that options such as `--size` set. Throws a `UsageError` if a value is invalid. */
function namedFields(
  options: Readonly<Record<string, Option>>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const [name, { field, isNumber = false }] of Object.entries(options)) {
    const value = values[name];
    if (field === undefined || typeof value !== 'string') continue;
    const number = isNumber ? parseDecimal(value) : undefined;
    if (isNumber && number === undefined) {
      throw new UsageError(`--${name} must be a number, not ${shown(value)}`);
    }
    if (value.trim() === '') throw new UsageError(`--${name} needs a value`);
    named[field] = number ?? value;
  }
  return named;
}

/**
 * Returns the fields that `--param`, `--field` and options such as `--size` set. Throws a `UsageError` if one is invalid or
 * set twice, or if the name of a `--param` is probably misspelled.
 */
export async function readParams(
  kind: BatchKind,
  values: Readonly<Record<string, unknown>> & {
    readonly param?: readonly string[] | undefined;
    readonly field?: readonly string[] | undefined;
  },
): Promise<Record<string, unknown>> {
  const { param, field } = values;
  const params = parseParams(param);
  if (param !== undefined) {
    // The schemas take time to load.
    const { checkParamNames } = await import('./param-schemas.ts');
    checkParamNames(kind, params);
  }
  const named = namedFields(commandOptions[kind], values);
  const free = { ...params, ...parseParams(field, '--field') };
  const repeated = Object.keys(named).find((name) => Object.hasOwn(free, name));
  if (repeated === undefined) return { ...named, ...free };
  throw new UsageError(`${repeated} is set twice: by an option and by --param or --field`);
}

/**
 * Parses `--param name=value` options. A value is JSON if it parses, and a string otherwise. Throws a `UsageError` if one
 * is invalid.
 */
export function parseParams(
  options: readonly string[] = [],
  optionName = '--param',
): Record<string, unknown> {
  const params: [string, unknown][] = [];
  for (const option of options) {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
    if (name === undefined) {
      throw new UsageError(`${optionName} must be <name>=<value> such as n=2, not ${option}`);
    }
    if (reserved.has(name)) {
      throw new UsageError(
        `${optionName} cannot set ${name}, which another option or argument sets`,
      );
    }
    params.push([name, parseJsonOr(value)]);
  }
  return Object.fromEntries(params);
}

/** Returns the model of `-m`. Throws a `UsageError` if there is none. */
export function requireModel(model: string | undefined, type: string): string {
  if (model?.trim()) return model;
  throw new UsageError(`no model: use -m <id>; npx polygate models --type ${type} lists them`);
}

/**
 * Returns the prompt from the command line, with the text from stdin behind it, or else that text alone. Throws a
 * `UsageError` if there is none, or more than one.
 *
 * @param options - What an error calls the prompt, and whether text on stdin belongs to one that does not request it with `-`.
 */
export async function readPrompt(
  positionals: readonly string[],
  {
    name = 'prompt',
    takesInput = false,
  }: { readonly name?: string; readonly takesInput?: boolean } = {},
): Promise<string> {
  const [given, ...others] = positionals.filter((text) => text !== '-');
  if (others.length > 0) {
    throw new UsageError(`one ${name} is expected, not ${others.length + 1}: put it in quotes`);
  }
  if (given?.trim() === '') throw new UsageError(`the ${name} is empty`);
  if (positionals.length === 0 && process.stdin.isTTY) {
    throw new UsageError(`no ${name}: pass it in quotes, or pipe it to this command`);
  }
  const isRequired = given === undefined || positionals.includes('-');
  const input = isRequired || takesInput ? await readInput({ isRequired }) : '';
  if (input.trim() !== '') return given === undefined ? input : `${given}\n\n${input}`;
  if (given === undefined) throw new UsageError(`the ${name} is empty`);
  return given;
}

/** What the rows of a batch generate. */
export type BatchKind = (typeof batchKinds)[number];

/** Parses `--kind`. Throws a `UsageError` if it is invalid. */
export function parseKind(text: string | undefined): BatchKind | undefined {
  if (text === undefined) return undefined;
  const kind = batchKinds.find((known) => known === text);
  if (kind !== undefined) return kind;
  throw new UsageError(`--kind: ${unknownName('kind', text, batchKinds)}`);
}

/** What a model generates. The service has one type for music and speech, which differ in how they are billed. */
export function kindOfModel({ type, pricing }: Model): BatchKind | undefined {
  // The service may leave out any part of the record, whatever the types say.
  const known: { profiles?: { api?: { billingUnit?: unknown } } } | undefined = pricing;
  if (type === 'audio') {
    return known?.profiles?.api?.billingUnit === 'character' ? 'speech' : 'music';
  }
  return batchKinds.find((kind) => kind === type);
}

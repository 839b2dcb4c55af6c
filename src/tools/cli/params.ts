import type { Model } from 'polygate';

import { UsageError, unknownName } from './arguments.ts';
import { readInput } from './input.ts';

/** Fields that other options or arguments set. */
const reserved: ReadonlySet<string> = new Set(['model', 'messages', 'prompt', 'stream', 'text']);

/** The options that set fields of a request. */
interface ParamOptions {
  readonly param?: readonly string[] | undefined;
  readonly field?: readonly string[] | undefined;
}

/**
 * Returns the fields that `--param` and `--field` set. Throws a `UsageError` if one is invalid, or if the name of a
 * `--param` is probably misspelled.
 */
export async function readParams(
  kind: BatchKind,
  { param, field }: ParamOptions,
): Promise<Record<string, unknown>> {
  const params = parseParams(param);
  if (param !== undefined) {
    // The schemas take time to load.
    const { checkParamNames } = await import('./param-schemas.ts');
    checkParamNames(kind, params);
  }
  return { ...params, ...parseParams(field, '--field') };
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

/** The value of a JSON text; the text itself if it is not JSON. */
export function parseJsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the model of `-m`. Throws a `UsageError` if there is none. */
export function requireModel(model: string | undefined, type: string): string {
  if (model?.trim()) return model;
  throw new UsageError(`no model: use -m <id>; npx polygate models --type ${type} lists them`);
}

/** How a prompt is read. */
interface PromptOptions {
  /** What an error calls it. */
  readonly name?: string;
  /** Whether text on stdin belongs to a prompt that does not request it with `-`. */
  readonly takesInput?: boolean;
}

/**
 * Returns the prompt from the command line, with the text from stdin behind it, or else that text alone. Throws a
 * `UsageError` if there is none, or more than one.
 */
export async function readPrompt(
  positionals: readonly string[],
  { name = 'prompt', takesInput = false }: PromptOptions = {},
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
export const batchKinds = ['image', 'video', 'music', 'speech', 'chat'] as const;

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

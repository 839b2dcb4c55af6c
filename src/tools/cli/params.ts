import { UsageError } from './arguments.ts';
import type { BatchKind } from './batch/table/kind.ts';

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

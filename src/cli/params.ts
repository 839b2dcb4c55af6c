import { UsageError } from './arguments.ts';

/** Fields that other options or arguments set. */
const reserved: ReadonlySet<string> = new Set(['model', 'messages', 'prompt', 'stream', 'text']);

/**
 * Parses `--param name=value` options. A value is JSON if it parses, and a string otherwise. Throws a `UsageError` if one
 * is invalid.
 */
export function parseParams(options: readonly string[] = []): Record<string, unknown> {
  const params: [string, unknown][] = [];
  for (const option of options) {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
    if (name === undefined) {
      throw new UsageError(`--param must be <name>=<value> such as n=2, not ${option}`);
    }
    if (reserved.has(name)) {
      throw new UsageError(`--param cannot set ${name}, which another option or argument sets`);
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

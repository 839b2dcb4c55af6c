import { basename, dirname, extname, join, posix } from 'node:path';

import { UsageError } from '../arguments.ts';

/** Where results go if there is no `-o`. */
export const defaultOutput = '{id}.{ext}';

const placeholders = ['id', 'n', 'ext'];

/** The values of the placeholders in a name. `{ext}` is filled in when the media type of the result is known. */
interface NameValues {
  readonly id: string;
  /** Number of the result, from 1. */
  readonly n: number;
}

/**
 * Checks a template such as `out/{id}.{ext}`, and returns it without `name/..`: if the name is that of a link, the system would
 * write another file than the one that is checked and recorded. Throws a `UsageError` if it is invalid.
 */
export function checkTemplate(template: string): string {
  for (const [text, name = ''] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (!placeholders.includes(name)) {
      throw new UsageError(`-o: ${text} is unknown; there are {id}, {n} and {ext}`);
    }
  }
  if (template.includes('\0') || /^$|[/\\]$/.test(template) || /^\.\.?$/.test(basename(template))) {
    throw new UsageError(
      `-o must be the name of a file, such as 'out/{id}.{ext}', not '${template}'`,
    );
  }
  if (dirname(template).includes('{ext}')) {
    throw new UsageError('-o: {ext} can be used in the name of the file only');
  }
  return template.includes('/../') ? posix.normalize(template) : template;
}

/**
 * Fills in a template. Results after the first are numbered `-2`, `-3` before the extension, unless the template contains
 * `{n}`.
 */
export function fillTemplate(template: string, { id, n }: NameValues): string {
  const name = template.replaceAll('{n}', () => String(n)).replaceAll('{id}', () => id);
  return template.includes('{n}') || n === 1 ? name : withNumber(name, n);
}

/** Adds a number to a name, before its extension: `harbor-2.png`. */
export function withNumber(path: string, number: number): string {
  const extension = path.endsWith('.{ext}') ? '.{ext}' : extname(path);
  const name = basename(path).slice(0, basename(path).length - extension.length);
  return join(dirname(path), `${name}-${number}${extension}`);
}

/** Makes a name of a task id, which may be any text: a service must not choose where a file is written. */
export function nameOfTask(id: string): string {
  return (
    id
      .replaceAll(/[^\w.-]/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 100) || 'result'
  );
}

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, posix } from 'node:path';

import { finalPath, isLink } from '../../integrations/node/final-path.ts';
import { UsageError } from './arguments.ts';

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

/** The files of folders, each of which is read once. */
export class ExistingFiles {
  readonly #folders = new Map<string, readonly string[]>();

  /**
   * Finds the file at a path. `{ext}` in the name matches any extension. A symbolic link whose target does not exist is no
   * file: what is written goes to its target.
   */
  find(path: string): string | undefined {
    const folder = dirname(path);
    const [start = '', end] = basename(path).split('{ext}');
    const isNamed = (name: string) =>
      end === undefined
        ? name === start
        : name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end);
    return this.#namesIn(folder)
      .filter(isNamed)
      .map((name) => join(folder, name))
      .find((found) => existsSync(found));
  }

  #namesIn(folder: string): readonly string[] {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    let names: string[] = [];
    try {
      names = readdirSync(folder);
    } catch {
      // A folder that cannot be read has no files to protect; writing to it fails with a better message.
    }
    this.#folders.set(folder, names);
    return names;
  }
}

/** Compares names of files, which exist or will be written. */
export class FileNames {
  readonly #folders = new Map<string, string>();

  /**
   * A text that is the same for two names of one file: links are followed, and some file systems ignore case and the form of
   * accents.
   */
  identityOf(path: string): string {
    const named = join(this.#realFolder(dirname(path)), basename(path));
    // Most names are those of files that do not exist.
    const real = isLink(named) ? finalPath(named) : named;
    return real.normalize('NFC').toLowerCase();
  }

  #realFolder(folder: string): string {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const real = finalPath(folder);
    this.#folders.set(folder, real);
    return real;
  }
}

/** Whether a name that may contain `{ext}` can become another name. Both are those of {@link FileNames.identityOf}. */
export function canBecome(template: string, name: string): boolean {
  const [start = '', end] = template.split('{ext}');
  if (end === undefined) return start === name;
  const extension = name.slice(start.length, name.length - end.length);
  return name.startsWith(start) && name.endsWith(end) && /^[^./\\]+$/.test(extension);
}

/** Whether there is something at a path that no file can replace, such as a folder. */
export function isNoFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

/** Throws a `UsageError` if there is something at a path that no file can replace. */
export function checkReplaceable(path: string): void {
  if (!isNoFile(path)) return;
  const isFolder = statSync(path).isDirectory();
  throw new UsageError(
    `${path} is ${isFolder ? 'a folder' : 'not a regular file'}: name a file that can be written`,
  );
}

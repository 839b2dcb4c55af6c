import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { finalPath, isLink } from '../../../integrations/node/final-path.ts';
import { UsageError } from '../arguments.ts';

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
    `${path} is ${isFolder ? 'a folder' : 'not a regular file'}: name a file that can be written. Nothing was sent`,
  );
}

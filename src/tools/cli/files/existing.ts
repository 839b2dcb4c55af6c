import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

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

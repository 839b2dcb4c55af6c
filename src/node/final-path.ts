import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * The path of the file that a path leads to, without symbolic links. It is the same before and after the file is created:
 * a link whose target does not exist yet leads to that target.
 *
 * @throws the error of the file system if links form a loop, or a folder cannot be read.
 */
export function finalPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const absolute = resolve(path);
  const folder = dirname(absolute);
  if (folder === absolute) return absolute;
  const own = join(finalPath(folder), basename(absolute));
  return isLink(own) ? finalPath(resolve(dirname(own), readlinkSync(own))) : own;
}

/** Whether there is a symbolic link at a path. Its target may not exist. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}

/** Gives a complete file the name of another one, which it replaces. The old file stays until the new one is there. */
export async function replaceFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    // A link has led to another file system.
    const beside = join(dirname(to), `.polygate-${crypto.randomUUID()}.part`);
    try {
      await copyFile(from, beside);
      await rename(beside, to);
    } finally {
      await rm(beside, { force: true });
    }
    await rm(from, { force: true });
  }
}

/** Whether an error is about a file or a folder that does not exist. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The code of an error of the file system. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { copyFile, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';

/**
 * The path of the file that the system opens for a path, without symbolic links. It is the same before and after the file is
 * created: a link whose target does not exist yet leads to that target. `..` after a link leads to the folder above its target, so
 * the path is never normalized as a text.
 *
 * @throws the error of the file system if links form a loop, or a folder cannot be read.
 */
export function finalPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const folder = dirname(path);
  if (folder === path) return resolve(path);
  const own = join(finalPath(folder), basename(path));
  if (!isLink(own)) return own;
  const target = readlinkSync(own);
  return finalPath(isAbsolute(target) ? target : `${dirname(own)}${sep}${target}`);
}

/** The path of another file in the folder of a file. Not by `join`, which removes `link/..`. */
export const besideFile = (path: string, name: string): string =>
  path.slice(0, path.length - basename(path).length) + name;

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
    const beside = besideFile(to, `.polygate-${crypto.randomUUID()}.part`);
    try {
      await copyFile(from, beside);
      await rename(beside, to);
    } finally {
      await rm(beside, { force: true });
    }
    await rm(from, { force: true });
  }
}

/** A new name of a file survives a crash of the machine only if its folder is flushed, which some systems cannot. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** Whether an error is about a file or a folder that does not exist. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The code of an error of the file system. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

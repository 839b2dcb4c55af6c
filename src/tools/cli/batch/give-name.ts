import { constants, copyFileSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs';

import { finalPath, replaceFile } from '../../../integrations/node/final-path.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { ExistingFiles } from '../files/existing.ts';
import { withNumber } from '../files/output-name.ts';
import { isNoFile } from '../files/same-file.ts';

/** The name of a file that is complete. */
interface FinalName {
  /** May contain `{ext}`. */
  readonly name: string;
  readonly extension: string;
  /** Whether an earlier run may have given the same file this name. */
  readonly mayBeSaved: boolean;
  /** Whether an existing file is replaced. */
  readonly force: boolean;
}

/**
 * Gives a complete file its name, or the next one that is free. If an earlier run that was killed has saved the same file,
 * that one is kept. A symbolic link stays, and its target becomes the file. Returns the path.
 */
export async function giveName(
  staged: string,
  { name, extension, mayBeSaved, force }: FinalName,
): Promise<string> {
  const pathOf = (template: string) => template.replaceAll('{ext}', () => extension);
  // A name that only the extension completes can be that of a folder.
  if (force && !isNoFile(pathOf(name))) {
    await replaceFile(staged, finalPath(pathOf(name)));
    return pathOf(name);
  }
  const existing = new ExistingFiles();
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : withNumber(name, number);
    const taken = existing.find(candidate);
    if (taken !== undefined && mayBeSaved && haveSameContent(taken, staged)) {
      rmSync(staged);
      return taken;
    }
    const path = pathOf(candidate);
    if (taken === undefined && takeName(staged, finalPath(path))) return path;
  }
}

function haveSameContent(path: string, other: string): boolean {
  const isFile = statSync(path).isFile() && statSync(path).size === statSync(other).size;
  return isFile && readFileSync(path).equals(readFileSync(other));
}

/** Moves a file, unless the name has been taken in the meantime. */
function takeName(staged: string, path: string): boolean {
  try {
    linkSync(staged, path);
  } catch (error) {
    const code = isRecord(error) ? error.code : undefined;
    if (code === 'EEXIST') return false;
    if (code === 'ENOSPC' || code === 'EROFS') throw error;
    // The file system has no hard links.
    return copyNew(staged, path);
  }
  rmSync(staged);
  return true;
}

function copyNew(staged: string, path: string): boolean {
  try {
    copyFileSync(staged, path, constants.COPYFILE_EXCL);
  } catch (error) {
    if (isRecord(error) && error.code === 'EEXIST') return false;
    throw error;
  }
  rmSync(staged);
  return true;
}

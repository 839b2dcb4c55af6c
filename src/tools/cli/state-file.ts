import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
  mkdirSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

import { finalPath } from '../../integrations/node/final-path.ts';

/**
 * Replaces a file that only its owner may read. A symbolic link stays, and its target is replaced. When this returns, the
 * content survives a crash of the machine; a crash before leaves the old content.
 */
export function writeDurably(path: string, text: string): void {
  const target = finalPath(path);
  const temporary = `${target}.${process.pid}.tmp`;
  makeFolder(dirname(target), 0o700);
  rmSync(temporary, { force: true });
  writeFile(temporary, text);
  try {
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(target));
}

/** Creates such a file, unless there is one. A reader can find a part of it, and a crash can leave one. */
export function createDurably(path: string, text: string): void {
  const target = finalPath(path);
  makeFolder(dirname(target), 0o700);
  writeFile(target, text);
  syncFolder(dirname(target));
}

/** Creates a file, and removes it if that fails. */
function writeFile(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** A new name survives a crash of the machine only if its folder is flushed, which some systems do not support. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Windows.
  }
}

/**
 * Creates a folder and those above it. The recursive option of `mkdir` never returns for some paths, such as those below
 * `/proc`.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

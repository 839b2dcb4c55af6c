import { randomUUID } from 'node:crypto';
import { rmSync, constants, copyFileSync, linkSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

import type { Polygate, SucceededGeneration } from 'polygate';
import { saveTo } from 'polygate/node';

import { isLink, finalPath, replaceFile } from '../../../integrations/node/final-path.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { fillTemplate, ExistingFiles, isNoFile, nameOfRow, withNumber } from '../output-name.ts';
import { checkSource } from '../settings.ts';
import { makeFolder } from '../state-file.ts';
import { isComplete, toRecord } from './file-record.ts';
import type { FileRecord, RecordedFile } from './file-record.ts';
import type { WorkRow } from './work.ts';

/** Saves the results of a row. Returns the paths of its files. */
export async function saveRow(
  { id, journalId, hash, saved }: WorkRow,
  generation: SucceededGeneration,
  {
    gateway,
    record,
    template,
    staging,
    force,
    signal,
  }: {
    readonly gateway: Polygate;
    readonly record: FileRecord;
    readonly template: string;
    /** A folder for files that are not complete, on the file system of the results. */
    readonly staging: string;
    readonly force: boolean;
    readonly signal: AbortSignal;
  },
): Promise<string[]> {
  // Before a file gets its name, so that the next run recognizes it as a file of this batch.
  if (saved?.files === undefined) await record.record(journalId, { template, hash });
  const mayBeSaved = saved !== undefined && saved.files === undefined;
  const files: RecordedFile[] = [];
  for (const [index, url] of generation.urls.entries()) {
    const before = saved?.files?.[index];
    // Its result may no longer be available.
    if (before !== undefined && isComplete(before)) {
      files.push(before);
      continue;
    }
    checkSource(url);
    makeFolder(staging);
    const staged = join(staging, `${randomUUID()}.{ext}`);
    const file = await saveTo(gateway, generation, staged, { index, signal });
    const name = nameOfRow(template, { id, n: index + 1 });
    const plainName = fillTemplate(template, { id, n: index + 1 });
    makeFolder(dirname(name));
    // A file that has lost its end, unless a symbolic link has taken its place: then its target is replaced.
    const isLinked = before !== undefined && isLink(before.path);
    if (before !== undefined && !isLinked) rmSync(before.path, { force: true });
    const extension = extname(file.path).slice(1);
    const given = isLinked
      ? { name: before.path, extension, mayBeSaved, force: true }
      : { name, plainName, extension, mayBeSaved, force };
    files.push({ ...file, path: await giveName(file.path, given) });
  }
  const { urls } = generation;
  await record.record(journalId, { template, hash, files: toRecord(files), urls });
  return files.map(({ path }) => path);
}

/**
 * Gives a complete file its name, or the next one that is free. If an earlier run that was killed has saved the same file,
 * that one is kept. A symbolic link stays, and its target becomes the file. Returns the path.
 */
export async function giveName(
  staged: string,
  {
    name,
    plainName = name,
    extension,
    mayBeSaved,
    force,
  }: {
    /** May contain `{ext}`. */
    readonly name: string;
    /** The name that earlier versions gave, which have not encoded ids. */
    readonly plainName?: string;
    readonly extension: string;
    /** Whether an earlier run may have given the same file this name. */
    readonly mayBeSaved: boolean;
    /** Whether an existing file is replaced. */
    readonly force: boolean;
  },
): Promise<string> {
  const pathOf = (template: string) => template.replaceAll('{ext}', () => extension);
  // A name that only the extension completes can be that of a folder.
  if (force && !isNoFile(pathOf(name))) {
    await replaceFile(staged, finalPath(pathOf(name)));
    return pathOf(name);
  }
  const existing = new ExistingFiles();
  const earlier = existing.find(plainName);
  if (earlier !== undefined && mayBeSaved && haveSameContent(earlier, staged)) {
    rmSync(staged);
    return earlier;
  }
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

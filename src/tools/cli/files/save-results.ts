import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Polygate, SucceededGeneration } from 'polygate';
import { saveTo } from 'polygate/node';
import type { SavedFile } from 'polygate/node';

import { isRecord } from '../../../wire/types/type-guards.ts';
import { messageOf, UsageError } from '../arguments.ts';
import { checkSource } from '../gateway.ts';
import { makeFolder } from './make-folder.ts';
import { fillTemplate, withNumber } from './output-name.ts';

/** How a result is saved. */
interface SaveOptions {
  /** Whether existing files are replaced. Otherwise, the result gets another name. */
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
}

/** Errors of a name that is taken. Nothing replaces a folder. */
const takenCodes: ReadonlySet<unknown> = new Set(['EEXIST', 'EISDIR', 'ENOTEMPTY']);

/** How often another name is tried for a file that exists. */
const maxNames = 1000;

/** Names of the results of a task. */
interface Names {
  readonly template: string;
  /** Value of `{id}`. */
  readonly id: string;
}

/** Saves all results of a generation. Returns the files in the order of the results. */
export async function saveResults(
  gateway: Polygate,
  generation: SucceededGeneration,
  { template, id }: Names,
  options: SaveOptions,
): Promise<SavedFile[]> {
  const files: SavedFile[] = [];
  for (const index of generation.urls.keys()) {
    const path = fillTemplate(template, { id, n: index + 1 });
    files.push(await saveResult(gateway, { generation, index }, path, options));
  }
  return files;
}

/** One result of a generation. */
interface ResultSource {
  readonly generation: SucceededGeneration;
  readonly index: number;
}

/** Saves one result. If the file exists and is not overwritten, the result gets the next free name. */
export function saveResult(
  gateway: Polygate,
  { generation, index }: ResultSource,
  path: string,
  { overwrite, signal }: SaveOptions,
): Promise<SavedFile> {
  checkSource(generation.urls[index] ?? '');
  makeFolder(dirname(path));
  return withFreeName(path, (name) =>
    saveTo(gateway, generation, name, { index, overwrite, signal }),
  );
}

/** Saves under the next free name: a file that has appeared in the meantime is kept. */
async function withFreeName(
  path: string,
  save: (path: string) => Promise<SavedFile>,
): Promise<SavedFile> {
  for (let number = 2; ; number += 1) {
    try {
      return await save(number === 2 ? path : withNumber(path, number - 1));
    } catch (error) {
      const code = isRecord(error) ? error.code : undefined;
      if (!takenCodes.has(code) || number > maxNames) throw error;
    }
  }
}

/** Creates the folder of a file before anything is paid for. Throws a `UsageError` if it cannot be written to. */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  try {
    makeFolder(folder);
    // Permissions do not say it for every user and every file system.
    const probe = join(folder, `.polygate-${process.pid}.tmp`);
    writeFileSync(probe, '');
    rmSync(probe, { force: true });
  } catch (error) {
    throw new UsageError(`cannot write to the folder ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Polygate, SucceededGeneration } from 'polygate';
import { saveTo } from 'polygate/node';
import type { SavedFile } from 'polygate/node';

import { finalPath } from '../../integrations/node/final-path.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { messageOf, UsageError } from './arguments.ts';
import {
  fillTemplate,
  nameOfTask,
  withNumber,
  ExistingFiles,
  checkTemplate,
  checkReplaceable,
  FileNames,
  isTooLong,
} from './output-name.ts';
import { checkSource } from './settings.ts';
import { makeFolder } from './state-file.ts';

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

/** Saves all results of a generation. Returns the files in the order of the results. */
export async function saveResults(
  gateway: Polygate,
  generation: SucceededGeneration,
  { template, id }: { readonly template: string; readonly id: string },
  options: SaveOptions,
): Promise<SavedFile[]> {
  const files: SavedFile[] = [];
  for (const index of generation.urls.keys()) {
    const path = fillTemplate(template, { id, n: index + 1 });
    files.push(await saveResult(gateway, { generation, index }, path, options));
  }
  return files;
}

/** Saves one result. If the file exists and is not overwritten, the result gets the next free name. */
export function saveResult(
  gateway: Polygate,
  { generation, index }: { readonly generation: SucceededGeneration; readonly index: number },
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

/** Checks where results go, before anything is paid for. Returns the template. */
export function checkOutput(output: string, overwrite: boolean): string {
  const template = checkTemplate(output);
  // With the longest name of a task: its id is known only after the charge.
  if (isTooLong(template.replaceAll('{id}', () => nameOfTask('x'.repeat(200))))) {
    throw new UsageError('-o is too long for the name of a file');
  }
  if (!template.includes('{id}')) {
    const first = template.replaceAll('{n}', '1');
    checkFree(first, overwrite);
    prepareFolder(finalPath(first));
  }
  // The part before the first placeholder. Without a name, it would be the folder above.
  prepareFolder(finalPath(`${template.split('{')[0] ?? template}_`));
  return template;
}

/** Throws a `UsageError` if something at a path must not be replaced, or cannot be. */
function checkFree(path: string, overwrite: boolean): void {
  checkReplaceable(path);
  const existing = overwrite ? undefined : new ExistingFiles().find(path);
  if (existing === undefined) return;
  throw new UsageError(`${existing} exists; --force replaces it`);
}

/** Checks where a copy of the receipt goes: the results must not replace it. */
export function checkReceiptFile(
  path: string | undefined,
  template: string,
  overwrite: boolean,
): void {
  if (path === undefined) return;
  if (path === '') throw new UsageError('--receipt must be the name of a file');
  checkDifferent(template, path);
  checkFree(path, overwrite);
  prepareFolder(finalPath(path));
}

/** How many results a task can have, at most. */
const maxResults = 100;

/** Throws a `UsageError` if a result could replace the receipt. */
export function checkDifferent(template: string, receipt: string): void {
  const names = new FileNames();
  const identity = names.identityOf(receipt);
  for (let n = 1; n <= maxResults; n += 1) {
    if (names.identityOf(fillTemplate(template, { id: '{id}', n })) !== identity) continue;
    throw new UsageError('-o and the receipt must be different files');
  }
}

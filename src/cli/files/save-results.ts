import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Polygate, SucceededGeneration } from 'polygate';
import { saveTo } from 'polygate/node';
import type { SavedFile } from 'polygate/node';

import { isRecord } from '../../types/type-guards.ts';
import { messageOf, UsageError } from '../arguments.ts';
import { checkSource } from '../gateway.ts';
import { fillTemplate, withNumber } from './output-name.ts';

/** How results are saved. */
interface SaveOptions {
  /** Template of the names. */
  readonly template: string;
  /** Value of `{id}`. */
  readonly id: string;
  /** Whether existing files are replaced. Otherwise, the result gets another name. */
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
}

/** How often another name is tried for a file that exists. */
const maxNames = 1000;

/** Saves all results of a generation. Returns the files in the order of the results. */
export async function saveResults(
  gateway: Polygate,
  generation: SucceededGeneration,
  { template, id, overwrite, signal }: SaveOptions,
): Promise<SavedFile[]> {
  const files: SavedFile[] = [];
  for (const [index, url] of generation.urls.entries()) {
    checkSource(url);
    const path = fillTemplate(template, { id, n: index + 1 });
    mkdirSync(dirname(path), { recursive: true });
    const save = (name: string) => saveTo(gateway, generation, name, { index, overwrite, signal });
    files.push(await withFreeName(path, save));
  }
  return files;
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
      if (!isRecord(error) || error.code !== 'EEXIST' || number > maxNames) throw error;
    }
  }
}

/** Creates the folder of a file before anything is paid for. Throws a `UsageError` if it cannot be written to. */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`cannot write to the folder ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

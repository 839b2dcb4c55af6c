import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

import type { Polygate, SucceededGeneration } from 'polygate';
import { saveTo } from 'polygate/node';

import { isLink } from '../../../integrations/node/final-path.ts';
import { makeFolder } from '../files/make-folder.ts';
import { fillTemplate } from '../files/output-name.ts';
import { checkSource } from '../gateway.ts';
import { giveName } from './give-name.ts';
import { isComplete, toRecord } from './state/file-record.ts';
import type { FileRecord, RecordedFile } from './state/file-record.ts';
import type { WorkRow } from './work.ts';

/** How the results of a batch are saved. */
export interface SaveContext {
  readonly gateway: Polygate;
  readonly record: FileRecord;
  readonly template: string;
  /** A folder for files that are not complete, on the file system of the results. */
  readonly staging: string;
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** Saves the results of a row. Returns the paths of its files. */
export async function saveRow(
  { id, journalId, hash, saved }: WorkRow,
  generation: SucceededGeneration,
  { gateway, record, template, staging, force, signal }: SaveContext,
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
    const name = fillTemplate(template, { id, n: index + 1 });
    makeFolder(dirname(name));
    // A file that has lost its end, unless a symbolic link has taken its place: then its target is replaced.
    const isLinked = before !== undefined && isLink(before.path);
    if (before !== undefined && !isLinked) rmSync(before.path, { force: true });
    const extension = extname(file.path).slice(1);
    const given = isLinked
      ? { name: before.path, extension, mayBeSaved, force: true }
      : { name, extension, mayBeSaved, force };
    files.push({ ...file, path: await giveName(file.path, given) });
  }
  const { urls } = generation;
  await record.record(journalId, { template, hash, files: toRecord(files), urls });
  return files.map(({ path }) => path);
}

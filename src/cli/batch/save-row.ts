import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Polygate, SucceededGeneration } from 'polygate';
import type { SavedFile } from 'polygate/node';

import { ExistingFiles } from '../files/existing.ts';
import { fillTemplate } from '../files/output-name.ts';
import { saveResult } from '../files/save-results.ts';
import { toRecord } from './file-record.ts';
import type { FileRecord } from './file-record.ts';
import type { WorkRow } from './work.ts';

/** How the results of a batch are saved. */
export interface SaveContext {
  readonly gateway: Polygate;
  readonly record: FileRecord;
  readonly template: string;
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** Saves the results of a row. Returns the paths of its files. */
export async function saveRow(
  row: WorkRow,
  generation: SucceededGeneration,
  context: SaveContext,
): Promise<string[]> {
  const { record, template, force } = context;
  const { journalId, hash, saved } = row;
  // Files of this batch that have lost their end, or one of which is missing.
  for (const { path } of saved?.files ?? []) rmSync(path, { force: true });
  // Before a file gets its name, so that the next run can tell that it belongs to this batch.
  await record.record(journalId, { template, hash });
  const mayBeSaved = saved !== undefined && saved.files === undefined && !force;
  const files: SavedFile[] = [];
  for (const index of generation.urls.keys()) {
    const source = { generation, index };
    const path = fillTemplate(template, { id: row.id, n: index + 1 });
    const existing = mayBeSaved ? await findSame(path, source, context) : undefined;
    files.push(existing ?? (await saveResult(context.gateway, source, path, overwriting(context))));
  }
  await record.record(journalId, {
    template,
    hash,
    files: toRecord(files),
    urls: generation.urls,
  });
  return files.map(({ path }) => path);
}

const overwriting = ({ force, signal }: SaveContext) => ({ overwrite: force, signal });

/**
 * Finds the file of a result that a run has saved and, because it was killed, not recorded. Other files of that name are
 * kept, so the content decides.
 */
async function findSame(
  path: string,
  source: { generation: SucceededGeneration; index: number },
  context: SaveContext,
): Promise<SavedFile | undefined> {
  const existing = new ExistingFiles().find(path);
  if (existing === undefined) return undefined;
  const copy = join(dirname(path), `.polygate-${randomUUID()}.part`);
  try {
    const file = await saveResult(context.gateway, source, copy, overwriting(context));
    return readFileSync(copy).equals(readFileSync(existing))
      ? { ...file, path: existing }
      : undefined;
  } finally {
    rmSync(copy, { force: true });
  }
}

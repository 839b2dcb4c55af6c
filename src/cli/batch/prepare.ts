import { existsSync } from 'node:fs';

import type { Journal, Model, Polygate } from 'polygate';

import { messageOf, UsageError } from '../arguments.ts';
import { prepareFolder } from '../files/save-results.ts';
import { estimateCosts } from './estimate.ts';
import type { Estimate } from './estimate.ts';
import { FileRecord } from './file-record.ts';
import { readJournal } from './journal-state.ts';
import type { JournalState } from './journal-state.ts';
import { openTable, throwProblems } from './open-table.ts';
import type { OpenTable } from './open-table.ts';
import { copyName } from './options.ts';
import type { BatchArguments } from './options.ts';
import { folderOf } from './table/output-names.ts';
import { checkExisting, toWork } from './work.ts';
import type { WorkRow } from './work.ts';

/** A batch that is ready to be sent. */
export interface PreparedBatch extends OpenTable {
  readonly work: readonly WorkRow[];
  readonly estimate: Estimate;
  readonly record: FileRecord;
}

/** Reads and checks everything. Nothing is sent and nothing is written. Throws a `UsageError` if there is a problem. */
export async function prepare(
  options: BatchArguments,
  gateway: Polygate,
  journal: Journal,
): Promise<PreparedBatch> {
  let models: readonly Model[] = [];
  const opened = await openTable(options, async () => {
    // The prices also go to the client, which reserves the budget of each row.
    models = (await gateway.models.list()).data;
    return models;
  });
  const record = new FileRecord(`${options.journal}.files`);
  const state = await readRecords(journal, record);
  const { output: template, retryFailed } = options;
  const earlier = { journal: state, files: record, template, retryFailed };
  const work = opened.rows.map((row) => toWork(row, earlier));
  const { problems } = opened;
  if (!options.force) {
    checkExisting(work, template, problems);
    if (state.size === 0 && !existsSync(options.journal)) checkOwnFiles(options);
  }
  throwProblems(opened.name, problems);
  return { ...opened, work, estimate: estimateCosts(work, models), record };
}

async function readRecords(journal: Journal, record: FileRecord): Promise<JournalState> {
  try {
    await record.read();
    return await readJournal(journal);
  } catch (error) {
    throw new UsageError(`cannot read the journal: ${messageOf(error)}`, { cause: error });
  }
}

/** Before its first run, a batch has written neither results nor a copy of the table. */
function checkOwnFiles(options: BatchArguments): void {
  const files = [options.results, ...(options.column === undefined ? [] : [copyName(options)])];
  const existing = files.find((path) => existsSync(path));
  if (existing === undefined) return;
  throw new UsageError(`${existing} exists, and this batch did not write it; --force replaces it`);
}

/** Creates the folders of the files, before anything is paid for. */
export function prepareFolders({ results, output }: BatchArguments, hasFiles: boolean): void {
  prepareFolder(results);
  if (hasFiles) prepareFolder(`${folderOf(output)}/_`);
}

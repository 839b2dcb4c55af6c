import { existsSync } from 'node:fs';

import { ConfigurationError } from 'polygate';
import type { Journal, Model, Polygate } from 'polygate';

import { finalPath } from '../../../integrations/node/final-path.ts';
import { readJournal } from '../../../internal.ts';
import type { JournalContent } from '../../../internal.ts';
import { messageOf, UsageError } from '../arguments.ts';
import { prepareFolder } from '../files/save-results.ts';
import { estimateCosts } from './estimate.ts';
import type { Estimate } from './estimate.ts';
import { openTable, throwProblems } from './open-table.ts';
import type { OpenTable } from './open-table.ts';
import { outputsOf, recordPath } from './options.ts';
import type { BatchArguments } from './options.ts';
import { FileRecord } from './state/file-record.ts';
import { checkService } from './state/service.ts';
import type { Service } from './state/service.ts';
import { folderOf } from './table/output-names.ts';
import { checkExisting, toWork } from './work.ts';
import type { WorkRow } from './work.ts';

/** A batch that is ready to be sent. */
export interface PreparedBatch extends OpenTable {
  readonly work: readonly WorkRow[];
  readonly estimate: Estimate;
  readonly record: FileRecord;
}

/** What a batch uses. */
interface BatchMeans {
  readonly gateway: Polygate;
  readonly service: Service;
  readonly journal: Journal;
}

/** Reads and checks everything. Nothing is sent and nothing is written. Throws a `UsageError` if there is a problem. */
export async function prepare(
  options: BatchArguments,
  { gateway, service, journal }: BatchMeans,
): Promise<PreparedBatch> {
  const record = new FileRecord(recordPath(options));
  const content = await readRecords(options.journal, journal, record);
  checkService({
    now: service,
    before: record.service,
    journal: content,
    isSameAccount: options.sameAccount,
  });
  let models: readonly Model[] = [];
  const opened = await openTable(options, async () => {
    // The client learns the prices from this response, and reserves the budget of each row.
    models = (await gateway.models.list()).data;
    return models;
  });
  const { rows } = content;
  const { output: template, retryFailed, resendUnknown } = options;
  const earlier = { journal: rows, files: record, template, retryFailed };
  const work = opened.rows.map((row) => toWork(row, earlier));
  const { problems } = opened;
  if (!options.force) checkExisting(work, template, problems);
  checkOutputs(options, record);
  throwProblems(opened.name, problems);
  const estimate = estimateCosts({ work, journal: rows, models, resendUnknown });
  return { ...opened, work, estimate, record };
}

async function readRecords(
  path: string,
  journal: Journal,
  record: FileRecord,
): Promise<JournalContent> {
  try {
    await record.read();
    return await readJournal(journal);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const problem = ConfigurationError.is(cause)
      ? 'it is no journal, or its first line is damaged. Name another file, or restore it from a backup'
      : messageOf(cause);
    throw new UsageError(`cannot read the journal ${path}: ${problem}. Nothing was sent`, {
      cause,
    });
  }
}

/** Results and a copy of the table replace files that this batch has written, and no others. Throws a `UsageError`. */
export function checkOutputs(options: BatchArguments, record: FileRecord): void {
  if (options.force) return;
  const existing = outputsOf(options).find((path) => existsSync(path) && !record.has(path));
  if (existing === undefined) return;
  throw new UsageError(`${existing} exists, and this batch did not write it; --force replaces it`);
}

/** Creates the folders of the files, before anything is paid for. */
export function prepareFolders(options: BatchArguments, hasFiles: boolean): void {
  for (const path of outputsOf(options)) prepareFolder(finalPath(path));
  if (hasFiles) prepareFolder(finalPath(`${folderOf(options.output)}/_`));
}

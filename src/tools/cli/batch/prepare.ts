import { existsSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

import { ConfigurationError } from 'polygate';
import type { Journal, Model, Polygate } from 'polygate';

import { finalPath } from '../../../integrations/node/final-path.ts';
import { readJournal } from '../../../internal.ts';
import type { JournalContent } from '../../../internal.ts';
import { messageOf, UsageError } from '../arguments.ts';
import { checkParamNames } from '../param-schemas.ts';
import { prepareFolder } from '../save-results.ts';
import { estimateCosts } from './estimate.ts';
import { FileRecord, checkService } from './file-record.ts';
import type { Service } from './file-record.ts';
import { outputsOf, recordPath, ownPaths } from './options.ts';
import type { BatchArguments } from './options.ts';
import { folderOf, checkNames } from './output-names.ts';
import { planRows } from './plan.ts';
import { decodeTable, formatOf, parseTable } from './table.ts';
import type { Problem } from './table.ts';
import { checkExisting, toWork } from './work.ts';

/** A batch that is ready to be sent. */
export type PreparedBatch = Awaited<ReturnType<typeof prepare>>;

/** Reads and checks everything. Nothing is sent and nothing is written. Throws a `UsageError` if there is a problem. */
export async function prepare(
  options: BatchArguments,
  {
    gateway,
    service,
    journal,
  }: { readonly gateway: Polygate; readonly service: Service; readonly journal: Journal },
) {
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
    throw new UsageError(`cannot read the journal ${path}: ${problem}`, {
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

/** Reads and checks the whole table. Nothing is sent. Throws a `UsageError` if it cannot be read. */
async function openTable(options: BatchArguments, readModels: () => Promise<readonly Model[]>) {
  const { file, format, model, kind, output, column } = options;
  const params = { ...options.params, ...options.fields };
  const name = file ?? 'stdin';
  const text = decodeTable(await readBytes(file), name);
  const problems: Problem[] = [];
  const table = parseTable(text, format ?? formatOf(name, text), problems);
  if (table.columns.length === 0) throw new UsageError(`${name} has no rows`);
  if (column !== undefined && table.columns.includes(column)) {
    const message = `there is a column ${column}; --column needs another name`;
    problems.push({ line: table.headerLine, message });
  }
  const models = await readModels();
  const rows = planRows(table, { models, model, kind, params }, problems);
  for (const used of new Set(rows.map((row) => row.kind))) checkParamNames(used, options.params);
  if (rows.length === 0 && problems.length === 0) throw new UsageError(`${name} has no rows`);
  const isChat = rows.some((row) => row.kind === 'chat');
  if (column !== undefined && !isChat && rows.length > 0) {
    problems.push({ line: table.headerLine, message: '--column is for chats' });
  }
  checkNames(
    rows.filter((row) => row.kind !== 'chat'),
    output,
    problems,
    ownPaths(options),
  );
  return { name, table, rows, problems };
}

async function readBytes(file: string | undefined): Promise<Uint8Array> {
  if (file === undefined) return buffer(process.stdin);
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** How many problems are printed. */
const maxProblems = 5;

/** Throws a `UsageError` that lists the problems of a table by their lines, if there are any. */
function throwProblems(name: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const sorted = problems.toSorted((first, second) => first.line - second.line);
  const lines = sorted
    .slice(0, maxProblems)
    .map(({ line, message }) => `${name}:${line}: ${message}`);
  const rest = sorted.length - lines.length;
  if (rest > 0) lines.push(`and ${rest === 1 ? '1 more problem' : `${rest} more problems`}`);
  throw new TableError(lines);
}

/** The table has problems, one per line. */
export class TableError extends UsageError {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(`the table has ${lines.length === 1 ? 'a problem' : 'problems'}`);
    this.lines = lines;
  }
}

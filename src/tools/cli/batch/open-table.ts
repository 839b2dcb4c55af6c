import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

import type { Model } from 'polygate';

import { messageOf, UsageError } from '../arguments.ts';
import { checkParamNames } from '../param-schemas.ts';
import { ownPaths } from './options.ts';
import type { BatchArguments } from './options.ts';
import { checkNames } from './table/output-names.ts';
import { planRows } from './table/plan.ts';
import type { PlannedRow } from './table/plan.ts';
import { decodeTable, formatOf, parseTable } from './table/table.ts';
import type { Problem, Table } from './table/table.ts';

/** A table whose rows have been checked. */
export interface OpenTable {
  readonly name: string;
  readonly table: Table;
  readonly rows: readonly PlannedRow[];
  readonly problems: Problem[];
}

/** Reads and checks the whole table. Nothing is sent. Throws a `UsageError` if it cannot be read. */
export async function openTable(
  options: BatchArguments,
  readModels: () => Promise<readonly Model[]>,
): Promise<OpenTable> {
  const { file, format, model, kind, output, column } = options;
  const params = { ...options.params, ...options.fields };
  const name = file ?? 'stdin';
  const text = decodeTable(await readBytes(file), name);
  const problems: Problem[] = [];
  const table = parseTable(text, format ?? formatOf(name, text), problems);
  if (table.columns.length === 0) throw new UsageError(`${name} has no rows`);
  if (column !== undefined && table.columns.includes(column)) {
    problems.push({ line: 1, message: `there is a column ${column}; --column needs another name` });
  }
  const models = await readModels();
  const rows = planRows(table, { models, model, kind, params }, problems);
  for (const used of new Set(rows.map((row) => row.kind))) checkParamNames(used, options.params);
  if (rows.length === 0 && problems.length === 0) throw new UsageError(`${name} has no rows`);
  const isChat = rows.some((row) => row.kind === 'chat');
  if (column !== undefined && !isChat && rows.length > 0) {
    problems.push({ line: 1, message: '--column is for chats' });
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
const maxProblems = 50;

/** Throws a `UsageError` that lists the problems of a table by their lines, if there are any. */
export function throwProblems(name: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const sorted = problems.toSorted((first, second) => first.line - second.line);
  const lines = sorted
    .slice(0, maxProblems)
    .map(({ line, message }) => `${name}:${line}: ${message}`);
  const rest = sorted.length - lines.length;
  if (rest > 0) lines.push(`and ${rest} more`);
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

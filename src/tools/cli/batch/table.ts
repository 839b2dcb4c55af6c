import { parse } from 'csv-parse/sync';
import type { InfoRecord } from 'csv-parse/sync';

import { isRecord } from '../../../wire/types/type-guards.ts';
import { messageOf, UsageError } from '../arguments.ts';

/** The formats of a table. */
export const formats = ['csv', 'tsv', 'jsonl'] as const;

/** The format of a table. */
export type Format = (typeof formats)[number];

/** A row of a table. */
export interface TableRow {
  /** Number of its first line, from 1. */
  readonly line: number;
  /** The cells that are not empty, by column. Text in CSV, any JSON value in JSONL. */
  readonly cells: Readonly<Record<string, unknown>>;
}

/** A table, as it is in the file. */
export interface Table {
  readonly format: Format;
  /** Between the cells of a line. */
  readonly delimiter: string;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

/** A problem of a line, which is reported with all others. */
export interface Problem {
  readonly line: number;
  readonly message: string;
}

/** Decodes a file. Throws a `UsageError` if it is not UTF-8; UTF-16 is recognized by its mark. */
export function decodeTable(bytes: Uint8Array, name: string): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${name} is not UTF-8 text: save it as "CSV UTF-8"`, { cause: error });
  }
}

/** The format of a file: that of its extension, or else what its beginning looks like. */
export function formatOf(name: string, text: string): Format {
  const [, extension = ''] = /\.(csv|tsv|jsonl|ndjson)$/i.exec(name) ?? [];
  if (extension !== '')
    return /^csv$/i.test(extension) ? 'csv' : /^tsv$/i.test(extension) ? 'tsv' : 'jsonl';
  return /^\s*\{/.test(text) ? 'jsonl' : 'csv';
}

/** Parses a table. Problems of single lines are added to `problems`. */
export function parseTable(text: string, format: Format, problems: Problem[]): Table {
  return format === 'jsonl' ? parseJsonLines(text, problems) : parseCsv(text, format, problems);
}

/** A record, with the number of its first line. */
interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

function readRecords(text: string, delimiter: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let line = 1;
  const keep = (parsed: unknown, { raw = '' }: InfoRecord): null => {
    // With `raw`, the record is a field.
    const { record } = isRecord(parsed) ? parsed : {};
    const cells = Array.isArray(record) ? record.map(String) : [];
    const open = cells.find((cell) => isUnclosed(cell, raw));
    if (open !== undefined) {
      throw new Error(
        `Quote Not Closed: the cell that begins at line ${line} with ${open.slice(0, 20)}`,
      );
    }
    // `raw` begins with the empty lines before the record, and ends with its line break.
    const [empty = ''] = /^[\r\n]*/.exec(raw) ?? [];
    records.push({ cells, line: line + lineBreaks(empty) });
    line += lineBreaks(raw);
    return null;
  };
  try {
    parse(text, {
      delimiter,
      raw: true,
      relax_column_count: true,
      // Programs that write TSV quote nothing but cells with a tab or a line break.
      relax_quotes: delimiter === '\t',
      skip_empty_lines: true,
      on_record: keep,
    });
  } catch (error) {
    throw new UsageError(messageOf(error).split('\n')[0], { cause: error });
  }
  return records;
}

/**
 * Whether a cell begins with a quote that nothing closes, and has swallowed a tab or a line break: the next quote is inside
 * another cell. A cell that is quoted as a whole is in the file with its quotes doubled.
 */
const isUnclosed = (cell: string, raw: string): boolean =>
  cell.startsWith('"') && /[\t\r\n]/.test(cell) && !raw.includes(`"${cell.replaceAll('"', '""')}"`);

function parseCsv(text: string, format: 'csv' | 'tsv', problems: Problem[]): Table {
  const delimiter = format === 'tsv' ? '\t' : detectDelimiter(text);
  const records = readRecords(text, delimiter);
  const [header, ...others] = records;
  const columns = (header?.cells ?? []).map((name) => name.trim());
  reportHeader(columns, problems);
  const rows = others.flatMap(({ cells: record, line }) => {
    // Spreadsheets export rows of empty cells.
    if (record.every((cell) => cell.trim() === '')) return [];
    if (record.slice(columns.length).some((cell) => cell.trim() !== '')) {
      problems.push({ line, message: `has ${record.length} cells for ${columns.length} columns` });
    }
    const cells = columns.map((name, index) => [name, record[index] ?? ''] as const);
    return [{ line, cells: Object.fromEntries(cells.filter(([, cell]) => cell !== '')) }];
  });
  return { format, delimiter, columns, rows };
}

function reportHeader(columns: readonly string[], problems: Problem[]): void {
  for (const [index, name] of columns.entries()) {
    if (name === '') problems.push({ line: 1, message: `column ${index + 1} has no name` });
    else if (columns.indexOf(name) < index) {
      problems.push({ line: 1, message: `column ${name} occurs twice` });
    }
  }
}

/** The most frequent of comma, semicolon and tab in the header, outside quotes. */
export function detectDelimiter(text: string): string {
  const counts = new Map<string, number>();
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\n' && !isQuoted) break;
    else if (!isQuoted) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const count = (delimiter: string) => counts.get(delimiter) ?? 0;
  return [',', ';', '\t'].reduce((best, next) => (count(next) > count(best) ? next : best));
}

const lineBreaks = (text: string) => text.split(/\r\n|\r|\n/).length - 1;

function parseJsonLines(text: string, problems: Problem[]): Table {
  const columns = new Set<string>();
  const rows: TableRow[] = [];
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() === '') continue;
    const line = index + 1;
    const value = parseJson(source);
    if (!isRecord(value)) {
      problems.push({ line, message: 'is not a JSON object' });
      continue;
    }
    const cells = Object.entries(value).filter(([, cell]) => cell !== null && cell !== '');
    for (const [name] of cells) columns.add(name);
    rows.push({ line, cells: Object.fromEntries(cells) });
  }
  return { format: 'jsonl', delimiter: '', columns: [...columns], rows };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

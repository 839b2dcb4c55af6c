import { parse } from 'csv-parse/sync';
import type { InfoRecord } from 'csv-parse/sync';

import { isRecord } from '../../../wire/types/type-guards.ts';
import { parseJsonOr, UsageError } from '../arguments.ts';
import type { formats } from '../command-options.ts';
import { commandMessage } from '../failure.ts';
import { decodeText } from '../terminal.ts';
import { cleanText } from '../text.ts';

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
  /** What precedes the header: a byte order mark, and the line `sep=;` of Excel. */
  readonly start: string;
  /** At the end of the header. */
  readonly lineEnd: string;
  /** Number of the line with the header. */
  readonly headerLine: number;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

/** A problem of a line, which is reported with all others. */
export interface Problem {
  readonly line: number;
  readonly message: string;
}

/** Decodes a file. Throws a `UsageError` if it is not UTF-8; UTF-16 is recognized by its mark. */
export const decodeTable = (bytes: Uint8Array, name: string): string =>
  decodeText(bytes, name, 'save it as "CSV UTF-8"');

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

function readRecords(
  text: string,
  { delimiter, lineEnd }: Pick<Table, 'delimiter' | 'lineEnd'>,
): CsvRecord[] {
  const records: CsvRecord[] = [];
  let line = 1;
  let end = 0;
  const keep = (parsed: unknown, { raw = '' }: InfoRecord): null => {
    // With `raw`, the record is a field.
    const { record } = isRecord(parsed) ? parsed : {};
    const cells = Array.isArray(record) ? record.map(String) : [];
    const open = cells.find((cell) => isUnclosed(cell, raw));
    if (open !== undefined) {
      const [start = ''] = /^[^\t\r\n]*/.exec(open) ?? [];
      throw quoteNotClosed(line + lineBreaks(raw.slice(0, raw.indexOf(start))), open);
    }
    // `raw` begins with the empty lines before the record, and ends with its line break.
    const [empty = ''] = /^[\r\n]*/.exec(raw) ?? [];
    records.push({ cells, line: line + lineBreaks(empty) });
    line += lineBreaks(raw);
    end += raw.length;
    return null;
  };
  try {
    parse(text, {
      delimiter,
      // A line feed ends a line even if that of the header ends with two characters. A single carriage return can be in a cell.
      record_delimiter: ['\r\n', '\n', ...(lineEnd === '\r' ? ['\r'] : [])],
      raw: true,
      relax_column_count: true,
      // Programs that write TSV quote nothing but cells with a tab or a line break.
      relax_quotes: delimiter === '\t',
      skip_empty_lines: true,
      on_record: keep,
    });
  } catch (error) {
    if (!isRecord(error) || error.code !== 'CSV_QUOTE_NOT_CLOSED') {
      throw new UsageError(commandMessage(error), { cause: error });
    }
    const open = end + openQuote(text.slice(end), delimiter);
    throw quoteNotClosed(1 + lineBreaks(text.slice(0, open)), text.slice(open));
  }
  return records;
}

const quoteNotClosed = (line: number, cell: string) =>
  new UsageError(
    `Quote Not Closed: the cell that begins at line ${line} with ${cleanText(cell).slice(0, 20)}`,
  );

/** The position of the quote that opens a cell and that nothing closes. */
function openQuote(text: string, delimiter: string): number {
  let open = -1;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charAt(index) !== '"') continue;
    if (open < 0) {
      if (index === 0 || `${delimiter}\r\n`.includes(text.charAt(index - 1))) open = index;
      // Two quotes are one within the cell.
    } else if (text.charAt(index + 1) === '"') index += 1;
    else open = -1;
  }
  return open;
}

/**
 * Whether a cell begins with a quote that nothing closes, and has swallowed a tab or a line break: the next quote is inside
 * another cell. A cell that is quoted as a whole is in the file with its quotes doubled.
 */
const isUnclosed = (cell: string, raw: string): boolean =>
  cell.startsWith('"') && /[\t\r\n]/.test(cell) && !raw.includes(`"${cell.replaceAll('"', '""')}"`);

function parseCsv(text: string, format: 'csv' | 'tsv', problems: Problem[]): Table {
  const [start = '', separator] =
    /^\uFEFF?(?:"?sep=([^\w\s"]|\t)"?[,;\t ]*(?=[\r\n]|$))?/i.exec(text) ?? [];
  // The rest of the line stays, so that lines are numbered as in the file.
  const body = text.slice(start.length);
  const header = readHeader(body);
  const delimiter = separator ?? (format === 'tsv' ? '\t' : header.delimiter);
  const { lineEnd } = header;
  const records = readRecords(body, { delimiter, lineEnd });
  const [first, ...others] = records.slice(records.findIndex(hasContent));
  const columns = (first?.cells ?? []).map((name) => name.trim());
  const headerLine = first?.line ?? 1;
  reportHeader(columns, headerLine, problems);
  const rows = others.filter(hasContent).map(({ cells: record, line }) => {
    if (record.slice(columns.length).some((cell) => cell.trim() !== '')) {
      problems.push({ line, message: `has ${record.length} cells for ${columns.length} columns` });
    }
    const cells = columns.map((name, index) => [name, record[index] ?? ''] as const);
    return { line, cells: Object.fromEntries(cells.filter(([, cell]) => cell !== '')) };
  });
  const end = separator === undefined ? '' : lineEnd;
  return { format, delimiter, start: start + end, lineEnd, headerLine, columns, rows };
}

/** Spreadsheets export rows of empty cells. */
const hasContent = ({ cells }: CsvRecord): boolean => cells.some((cell) => cell.trim() !== '');

function reportHeader(columns: readonly string[], line: number, problems: Problem[]): void {
  for (const [index, name] of columns.entries()) {
    if (name === '') problems.push({ line, message: `column ${index + 1} has no name` });
    else if (columns.indexOf(name) < index) {
      problems.push({ line, message: `column ${name} occurs twice` });
    }
  }
}

const delimiters = [',', ';', '\t'];

/**
 * The most frequent delimiter in the first line that has a name in it, outside quotes, and how that line ends. A quote within a
 * cell is an ordinary character.
 */
export function readHeader(text: string): Pick<Table, 'delimiter' | 'lineEnd'> {
  const counts = new Map<string, number>();
  let lineEnd = '\n';
  let hasName = false;
  let isQuoted = false;
  let mayOpen = true;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"' && (isQuoted || mayOpen)) {
      isQuoted = !isQuoted;
      // Two quotes are one within the cell.
      mayOpen = true;
    } else if (!isQuoted && /[\r\n]/.test(character)) {
      lineEnd = text.startsWith('\r\n', index) ? '\r\n' : character;
      if (hasName) break;
      counts.clear();
      mayOpen = true;
    } else {
      const isDelimiter = !isQuoted && delimiters.includes(character);
      if (isDelimiter) counts.set(character, (counts.get(character) ?? 0) + 1);
      else hasName ||= character.trim() !== '';
      mayOpen = isDelimiter;
    }
  }
  const count = (delimiter: string) => counts.get(delimiter) ?? 0;
  const delimiter = delimiters.reduce((best, next) => (count(next) > count(best) ? next : best));
  return { delimiter, lineEnd };
}

const lineBreaks = (text: string) => text.split(/\r\n|\r|\n/).length - 1;

function parseJsonLines(text: string, problems: Problem[]): Table {
  const columns = new Set<string>();
  const rows: TableRow[] = [];
  const [start = ''] = /^\uFEFF?/.exec(text) ?? [];
  // JSON escapes the line breaks in its texts.
  const lines = text.slice(start.length).split(/\r\n|\r|\n/);
  for (const [index, source] of lines.entries()) {
    if (source.trim() === '') continue;
    const line = index + 1;
    const value = parseJsonOr(source);
    if (!isRecord(value)) {
      problems.push({ line, message: 'is not a JSON object' });
      continue;
    }
    const cells = Object.entries(value).filter(([, cell]) => cell !== null && cell !== '');
    for (const [name] of cells) columns.add(name);
    rows.push({ line, cells: Object.fromEntries(cells) });
  }
  const [lineEnd = '\n'] = /\r\n|\r|\n/.exec(text) ?? [];
  return {
    format: 'jsonl',
    delimiter: '',
    start,
    lineEnd,
    headerLine: 1,
    columns: [...columns],
    rows,
  };
}

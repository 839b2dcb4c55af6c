import { textOf } from '../../../wire/types/type-guards.ts';
import type { Table } from './table/table.ts';

/** Returns a copy of a table with a column of answers, in the format of the table. */
export function withAnswers(
  { format, delimiter, columns, rows }: Table,
  column: string,
  answers: readonly (string | undefined)[],
): string {
  if (format === 'jsonl') {
    const lines = rows.map(({ cells }, index) =>
      JSON.stringify({ ...cells, [column]: answers[index] }),
    );
    return lines.map((line) => `${line}\n`).join('');
  }
  // A quote inside a cell of a TSV is an ordinary character.
  const special = delimiter === '\t' ? /^"|[\r\n]/ : /["\r\n]/;
  const quote = (cell: string) =>
    special.test(cell) || cell.includes(delimiter) || /^\s|\s$/.test(cell)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;
  const toLine = (cells: readonly string[]) => `${cells.map(quote).join(delimiter)}\n`;
  const lines = rows.map(({ cells }, index) =>
    toLine([...columns.map((name) => textOf(cells[name]) ?? ''), answers[index] ?? '']),
  );
  return toLine([...columns, column]) + lines.join('');
}

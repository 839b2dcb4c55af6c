import { BudgetExceededError, PolygateError } from 'polygate';
import type { Journal } from 'polygate';

import { readJournal } from '../../../internal.ts';
import { textOf } from '../../../wire/types/type-guards.ts';
import { messageOf } from '../arguments.ts';
import { cutText } from '../chat.ts';
import { describeFailure, isLimit } from '../failure.ts';
import type { FailureContext } from '../failure.ts';
import { writeDurably } from '../state-file.ts';
import { formatDuration, note, noteFailure, print, printJson } from '../terminal.ts';
import { cleanText } from '../text.ts';
import { countRows, exitCodeOfRows, rowText } from './batch-run.ts';
import type { RunEnd, Counts, RowResult, RowEnd } from './batch-run.ts';
import { copyName, outputsOf } from './options.ts';
import type { BatchArguments } from './options.ts';
import { shownFolder } from './output-names.ts';
import { checkOutputs } from './prepare.ts';
import type { PreparedBatch } from './prepare.ts';
import type { Table } from './table.ts';
import { count, isDone, costsText, sumCosts, needsPayment, costOf, journalIdsOf } from './work.ts';
import type { Costs, JournalState, WorkRow } from './work.ts';

/** Rows that are printed with their problem. The results file has all of them. */
const maxErrors = 5;

/** Writes the results of a run and prints its summary. Returns the exit code. */
export async function report(
  batch: PreparedBatch,
  run: RunEnd & { readonly journal: Journal },
  options: BatchArguments,
  context: FailureContext,
): Promise<number> {
  const { rows: journal } = await readJournal(run.journal);
  const results = resultsOf(batch.work, run.rows, journal);
  const isWritten = await writeFiles(batch, results, options);
  const counts = countRows(results);
  const costs = sumCosts(journal.values());
  const failed = run.areShown ? [] : results.filter(hasError).slice(0, maxErrors);
  for (const row of failed) note(rowText(row, context.clean ?? cleanText));
  // With --partial, the limit is meant to end the run. Rows that may have been charged have used up a part of it.
  const isLimited = options.partial && BudgetExceededError.is(run.stopped);
  const isCovered = isLimited && counts.unknown === 0;
  if (isCovered) note(leftOut(counts.open));
  else if (run.stopped !== undefined) {
    noteFailure(describeFailure(run.stopped, { ...context, isPaid: false, next: undefined }));
  }
  noteCuts(results);
  const { usd, uncertain: uncertainRows, uncertainUsd } = costs;
  const money = { usd, uncertainRows, uncertainUsd };
  const folder = results.some(({ files }) => files.length > 0) ? shownFolder(options.output) : null;
  const durationMs = Math.round(run.elapsedMs);
  if (options.json) {
    const places = { folder, results: options.results };
    const reason = PolygateError.is(run.stopped) ? run.stopped.reason : undefined;
    await printJson({ rows: results.length, ...counts, reason, ...money, ...places, durationMs });
  } else {
    const lines = [
      ...(folder === null ? [] : [`Files:   ${folder}`]),
      `Results: ${options.results}`,
      `Time:    ${formatDuration(durationMs)}`,
    ];
    await print(`${summaryText(counts, costs)}\n${lines.join('\n')}\n`);
  }
  if (isWritten && hasPaidNothing(batch, costs, options)) {
    const isFinished = batch.work.every(isDone);
    note(
      isFinished
        ? 'Earlier runs finished all rows. This run wrote the results again, and was charged nothing.'
        : 'This run had nothing to pay for, and was charged nothing.',
    );
  }
  const isLost = ({ id, status }: RowResult) => status === 'unknown' && journal.get(id)?.isLostChat;
  const lost = results.filter(isLost).length;
  if (!isLimit(run.stopped) && counts.open + counts.unknown > lost) {
    note('To continue, run the same command again.');
  }
  if (lost > 0)
    note('--resend-unknown sends chats without an answer again: they can be charged twice.');
  const rows = isCovered ? { ...counts, open: 0 } : counts;
  return exitCodeOfRows(rows, run.isUnsaved || !isWritten || isOwed(results, journal));
}

/** What is printed about the rows that a limit does not cover. */
const leftOut = (open: number): string =>
  `--max-usd covers no more: ${count(open)} not sent. To send more, raise it and run the same command again.`;

/** Whether a run had nothing to send, and the journal has the same charges as before. */
function hasPaidNothing(
  { work, estimate: { before } }: PreparedBatch,
  { usd, uncertain, uncertainUsd }: Costs,
  { resendUnknown }: BatchArguments,
): boolean {
  const isSame =
    usd === before.usd && uncertain === before.uncertain && uncertainUsd === before.uncertainUsd;
  return isSame && !work.some((row) => needsPayment(row, resendUnknown));
}

const hasError = ({ error }: RowResult): boolean => error !== undefined;

/** Writes the results file and the copy of the table. Returns whether that was possible. */
async function writeFiles(
  { table, record }: PreparedBatch,
  results: readonly RowResult[],
  options: BatchArguments,
): Promise<boolean> {
  const { column } = options;
  try {
    // Another process may have written one in the meantime.
    checkOutputs(options, record);
    for (const path of outputsOf(options)) await record.recordOutput(path);
    writeResults(options.results, results);
    if (column !== undefined) {
      const answers = results.map(({ answer }) => answer);
      writeDurably(copyName(options), withAnswers(table, column, answers));
      if (table.format !== 'jsonl') noteFormulas(results);
    }
    return true;
  } catch (error) {
    note(`The results could not be written: ${messageOf(error)}. The journal has them.`);
    return false;
  }
}

/** Prints which texts are not complete. */
function noteCuts(results: readonly RowResult[]): void {
  for (const reason of ['length', 'content_filter'] as const) {
    const cut = results.filter(({ finishReason }) => finishReason === reason);
    if (cut.length > 0) note(`Answers cut off ${cutText[reason]}: ${idsOf(cut)}`);
  }
}

/** Prints which answers the copy of the table has with an apostrophe. */
function noteFormulas(results: readonly RowResult[]): void {
  const changed = results.filter(({ answer = '' }) => isFormula(answer));
  if (changed.length === 0) return;
  note(
    `Answers that a spreadsheet could run as formulas begin with ' in the copy, and not in the results: ${idsOf(changed)}`,
  );
}

const idsOf = (results: readonly RowResult[]): string =>
  [
    ...results.slice(0, maxErrors).map(({ id }) => id),
    ...(results.length > maxErrors ? ['…'] : []),
  ].join(', ');

/** Whether a spreadsheet could run a text as a formula. A number with a sign is none. */
const isFormula = (text: string): boolean =>
  /^\s*[=+\-@＝＋－＠]/.test(text) && !/^\s*[+-][\d.,]+%?\s*$/.test(text);

function summaryText({ succeeded, failed, unknown, open }: Counts, costs: Costs): string {
  const parts = [
    `${succeeded} succeeded`,
    `${failed} failed`,
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(open > 0 ? [`${open} open`] : []),
  ];
  return `${parts.join(', ')}. Charged in all runs: ${costsText(costs)}`;
}

/** Combines what this run and the journal know about the rows, in the order of the table. */
function resultsOf(
  rows: readonly WorkRow[],
  ended: ReadonlyMap<string, RowEnd>,
  journal: JournalState,
): RowResult[] {
  return rows.map(({ id }) => {
    const last = lastJournalRow(id, journal);
    // A row that this run has not reached may have been sent by an earlier one.
    const isLost = last?.needsReplay || last?.isLostChat;
    const end = ended.get(id) ?? { status: isLost ? 'unknown' : 'open', files: [], urls: [] };
    const { taskId, key } = last ?? {};
    return {
      id,
      ...end,
      usd: costOf(id, journal),
      taskId: end.taskId ?? taskId,
      idempotencyKey: end.idempotencyKey ?? key,
    };
  });
}

/** Whether a row without a result may have been paid for. */
function isOwed(results: readonly RowResult[], journal: JournalState): boolean {
  return results.some(
    ({ id, status }) => status === 'open' && lastJournalRow(id, journal)?.mayBeCharged,
  );
}

const lastJournalRow = (id: string, journal: JournalState) =>
  journal.get(journalIdsOf(id, journal).at(-1) ?? id);

/** The fields of a result, in the documented order. */
const resultFields =
  'id status files urls usd taskId idempotencyKey answer finishReason error reason'.split(' ');

/** Replaces the results file: one line per row. */
function writeResults(path: string, results: readonly RowResult[]): void {
  const lines = results.map((result) => `${JSON.stringify(result, resultFields)}\n`);
  writeDurably(path, lines.join(''));
}

/**
 * Returns a copy of a table with a column of answers, in the format of the table. A model must not choose what a spreadsheet
 * runs, so that a formula is written as text.
 */
export function withAnswers(
  { format, delimiter, start, lineEnd, columns, rows }: Table,
  column: string,
  answers: readonly (string | undefined)[],
): string {
  if (format === 'jsonl') {
    const lines = rows.map(({ cells }, index) =>
      JSON.stringify({ ...cells, [column]: answers[index] }),
    );
    return start + lines.map((line) => line + lineEnd).join('');
  }
  // A quote inside a cell of a TSV is an ordinary character.
  const special = delimiter === '\t' ? /^"|[\r\n]/ : /["\r\n]/;
  const quote = (cell: string) =>
    special.test(cell) || cell.includes(delimiter) || /^\s|\s$/.test(cell)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;
  const toLine = (cells: readonly string[]) => cells.map(quote).join(delimiter) + lineEnd;
  const asText = (answer = '') => (isFormula(answer) ? `'${answer}` : answer);
  const lines = rows.map(({ cells }, index) =>
    toLine([...columns.map((name) => textOf(cells[name]) ?? ''), asText(answers[index])]),
  );
  return start + toLine([...columns, column]) + lines.join('');
}

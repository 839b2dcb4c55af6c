import type { Journal } from 'polygate';

import { messageOf } from '../arguments.ts';
import { describeFailure } from '../failure.ts';
import type { FailureContext } from '../failure.ts';
import { formatUsd } from '../money.ts';
import { note, print, printJson } from '../output.ts';
import { writeDurably } from '../state/state-file.ts';
import { withAnswers } from './answers.ts';
import type { RunEnd } from './batch-run.ts';
import { readJournal } from './journal-state.ts';
import { copyName } from './options.ts';
import type { BatchArguments } from './options.ts';
import type { PreparedBatch } from './prepare.ts';
import { resultsOf, writeResults } from './results.ts';
import { countRows, exitCodeOfRows } from './row-result.ts';
import type { Counts, RowResult } from './row-result.ts';

/** Failed rows whose errors are printed. The results file has all of them. */
const maxErrors = 5;

/** Writes the results of a run and prints its summary. Returns the exit code. */
export async function report(
  batch: PreparedBatch,
  run: RunEnd & { readonly journal: Journal },
  options: BatchArguments,
  context: FailureContext,
): Promise<number> {
  const results = resultsOf(batch.work, run.rows, await readJournal(run.journal));
  const isWritten = writeFiles(batch, results, options);
  const counts = countRows(results);
  const usd = Math.round(results.reduce((sum, result) => sum + result.usd, 0) * 1e9) / 1e9;
  for (const { id, error } of results.filter(hasError).slice(0, maxErrors)) {
    note(context.clean?.(`${id}: ${error}`) ?? id);
  }
  if (run.stopped !== undefined) {
    process.stderr.write(describeFailure(run.stopped, { ...context, isPaid: false }));
  }
  const summary = { rows: results.length, ...counts, usd, results: options.results };
  if (options.json) await printJson(summary);
  else await print(`${summaryText(counts, usd)}\nResults: ${options.results}\n`);
  if (counts.open + counts.unknown > 0) note('To continue, run the same command again.');
  return exitCodeOfRows(counts, run.isUnsaved || !isWritten);
}

const hasError = ({ error }: RowResult): boolean => error !== undefined;

/** Writes the results file and the copy of the table. Returns whether that was possible. */
function writeFiles(
  { table }: PreparedBatch,
  results: readonly RowResult[],
  options: BatchArguments,
): boolean {
  const { column } = options;
  try {
    writeResults(options.results, results);
    if (column !== undefined) {
      const answers = results.map(({ answer }) => answer);
      writeDurably(copyName(options), withAnswers(table, column, answers));
    }
    return true;
  } catch (error) {
    note(`The results could not be written: ${messageOf(error)}. The journal has them.`);
    return false;
  }
}

function summaryText({ succeeded, failed, unknown, open }: Counts, usd: number): string {
  const parts = [
    `${succeeded} succeeded`,
    `${failed} failed`,
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(open > 0 ? [`${open} open`] : []),
  ];
  return `${parts.join(', ')}. Charged in all runs: ${formatUsd(usd)}`;
}

import { writeDurably } from '../state/state-file.ts';
import type { RowEnd } from './batch-run.ts';
import type { RowResult } from './row-result.ts';
import { attemptsOf, costOf } from './state/journal-state.ts';
import type { JournalState } from './state/journal-state.ts';
import type { WorkRow } from './work.ts';

/** Combines what this run and the journal know about the rows, in the order of the table. */
export function resultsOf(
  rows: readonly WorkRow[],
  ended: ReadonlyMap<string, RowEnd>,
  journal: JournalState,
): RowResult[] {
  return rows.map(({ id }) => {
    const end = ended.get(id) ?? { status: 'open', files: [], urls: [] };
    const { taskId, key } = journal.get(attemptsOf(id, journal).at(-1) ?? id) ?? {};
    return {
      id,
      ...end,
      usd: costOf(id, journal),
      taskId: end.taskId ?? taskId,
      idempotencyKey: end.idempotencyKey ?? key,
    };
  });
}

/** Replaces the results file: one line per row. */
export function writeResults(path: string, results: readonly RowResult[]): void {
  writeDurably(path, results.map((result) => `${JSON.stringify(ordered(result))}\n`).join(''));
}

/** The fields in the documented order. */
function ordered({
  id,
  status,
  files,
  urls,
  usd,
  taskId,
  idempotencyKey,
  answer,
  finishReason,
  error,
}: RowResult) {
  return { id, status, files, urls, usd, taskId, idempotencyKey, answer, finishReason, error };
}

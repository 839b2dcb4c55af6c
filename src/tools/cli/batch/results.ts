import { writeDurably } from '../state/state-file.ts';
import type { RowEnd } from './batch-run.ts';
import type { RowResult } from './row-result.ts';
import { costOf, journalIdsOf } from './state/journal-state.ts';
import type { JournalState } from './state/journal-state.ts';
import type { WorkRow } from './work.ts';

/** Combines what this run and the journal know about the rows, in the order of the table. */
export function resultsOf(
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
export function isOwed(results: readonly RowResult[], journal: JournalState): boolean {
  return results.some(
    ({ id, status }) => status === 'open' && lastJournalRow(id, journal)?.mayBeCharged,
  );
}

const lastJournalRow = (id: string, journal: JournalState) =>
  journal.get(journalIdsOf(id, journal).at(-1) ?? id);

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

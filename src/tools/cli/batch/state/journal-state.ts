import { roundUsd } from '../../../../internal.ts';
import type { JournalContent, JournalRow } from '../../../../internal.ts';

/** The rows of a journal by their ids there. */
export type JournalState = JournalContent['rows'];

/** The id under which the journal has the n-th task of a row. A failed task is paid for again under another id. */
function journalId(id: string, number: number): string {
  return number === 1 ? id : `${id} (retry ${number})`;
}

/** The ids under which a journal has a row. */
export function journalIdsOf(id: string, state: JournalState): string[] {
  const ids = [id];
  while (state.has(journalId(id, ids.length + 1))) ids.push(journalId(id, ids.length + 1));
  return ids;
}

/** The id under which a row continues: the last one that it has, or another one if its task failed. */
export function currentId(id: string, state: JournalState, retryFailed: boolean): string {
  const ids = journalIdsOf(id, state);
  const last = ids.at(-1) ?? id;
  const { status, taskId } = state.get(last) ?? {};
  // A row that was rejected was not charged, and the batch sends it again by itself.
  const hasFailedTask = status === 'failed' && taskId !== undefined;
  return retryFailed && hasFailedTask ? journalId(id, ids.length + 1) : last;
}

/** What all tasks of a row have cost, in USD. */
export function costOf(id: string, state: JournalState): number {
  return roundUsd(
    journalIdsOf(id, state).reduce((sum, journaled) => sum + (state.get(journaled)?.usd ?? 0), 0),
  );
}

/** What rows have cost. */
export interface Costs {
  /** The charges that are known, in USD. */
  readonly usd: number;
  /** The number of rows that may have been charged more. */
  readonly uncertain: number;
  /** What these may have been charged besides, as far as it can be estimated, in USD. */
  readonly uncertainUsd: number;
}

/** Adds up what rows of a journal have cost, including rows that are no longer in the table. */
export function sumCosts(rows: Iterable<JournalRow>): Costs {
  let [usd, uncertain, uncertainUsd] = [0, 0, 0];
  for (const row of rows) {
    usd += row.usd;
    uncertainUsd += row.estimatedUsd;
    if (row.isUncertain) uncertain += 1;
  }
  return { usd: roundUsd(usd), uncertain, uncertainUsd: roundUsd(uncertainUsd) };
}

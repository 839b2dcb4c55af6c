import type { JournalRow, JournalContent } from '../../../internal.ts';
import { roundUsd } from '../../../paid/amounts.ts';
import { formatUsd } from '../../money.ts';
import { ExistingFiles, fillTemplate } from '../output-name.ts';
import { digest } from '../task-store.ts';
import { areComplete } from './file-record.ts';
import type { FileRecord, RowFiles } from './file-record.ts';
import { namesOf } from './output-names.ts';
import type { PlannedRow } from './plan.ts';
import type { Problem } from './table.ts';

/** A row, and what earlier runs have done for it. */
export interface WorkRow extends PlannedRow {
  /** Its id in the journal. */
  readonly journalId: string;
  /** Fingerprint of its request. */
  readonly hash: string;
  /** The files that this batch has saved, or was saving. */
  readonly saved: RowFiles | undefined;
  /** Whether all of its files are there, so that nothing is left to do. */
  readonly isDone: boolean;
  /** What the journal says about its next request. */
  readonly recorded: JournalRow | undefined;
}

/** Finds out what is left to do for a row. */
export function toWork(
  row: PlannedRow,
  {
    journal,
    files,
    template,
    retryFailed,
  }: { journal: JournalState; files: FileRecord; template: string; retryFailed: boolean },
): WorkRow {
  const journalId = currentId(row.id, journal, retryFailed);
  const { kind, model, prompt, system, params } = row;
  const hash = digest(JSON.stringify([kind, model, prompt, system, params]));
  const saved = files.get(journalId, { template, hash });
  return {
    ...row,
    journalId,
    hash,
    saved,
    isDone: saved !== undefined && areComplete(saved),
    recorded: journal.get(journalId),
  };
}

/** Whether a run sends a row. */
export function needsPayment(
  { isDone, recorded }: Pick<WorkRow, 'isDone' | 'recorded'>,
  resendUnknown: boolean,
): boolean {
  if (isDone) return false;
  if (!recorded?.mayBeCharged || recorded.needsReplay) return true;
  return recorded.isLostChat && resendUnknown;
}

/** Reports files that a row would replace and that this batch did not write. */
export function checkExisting(
  rows: readonly WorkRow[],
  template: string,
  problems: Problem[],
): void {
  const existing = new ExistingFiles();
  const found = rows.flatMap((row) => {
    if (row.kind === 'chat' || row.saved !== undefined) return [];
    // Earlier versions have not encoded ids.
    const plainName = fillTemplate(template, { id: row.id, n: 1 });
    const names = [...namesOf(row, template), plainName].map((name) => existing.find(name));
    const name = names.find((taken) => taken !== undefined);
    return name === undefined ? [] : [{ line: row.line, name }];
  });
  const [first, ...others] = found;
  if (first === undefined) return;
  const message =
    others.length === 0
      ? `${first.name} exists; --force replaces it`
      : `${first.name} exists, and so do files of ${others.length === 1 ? 'another row' : `${others.length} other rows`}; --force replaces them`;
  problems.push({ line: first.line, message });
}

/** The rows of a journal by their ids there. */
export type JournalState = JournalContent['rows'];

/** The id under which the journal has the n-th task of a row. A failed task is paid for again under another id. */
function journalRowId(id: string, number: number): string {
  return number === 1 ? id : `${id} (retry ${number})`;
}

/** The ids under which a journal has a row. */
export function journalIdsOf(id: string, state: JournalState): string[] {
  const ids = [id];
  while (state.has(journalRowId(id, ids.length + 1))) ids.push(journalRowId(id, ids.length + 1));
  return ids;
}

/** The id under which a row continues: the last one that it has, or another one if its task failed. */
export function currentId(id: string, state: JournalState, retryFailed: boolean): string {
  const ids = journalIdsOf(id, state);
  const last = ids.at(-1) ?? id;
  const { status, taskId } = state.get(last) ?? {};
  // A row that was rejected was not charged, and the batch sends it again by itself.
  const hasFailedTask = status === 'failed' && taskId !== undefined;
  return retryFailed && hasFailedTask ? journalRowId(id, ids.length + 1) : last;
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

/**
 * The rows that are not done, in the order in which they are sent. Those that were paid for come first: no row is read after
 * a 402 or at the limit, and their results would be missing.
 */
export function inSendingOrder(rows: readonly WorkRow[]): WorkRow[] {
  const order = ({ recorded }: WorkRow) =>
    recorded?.isCompleted ? 0 : recorded?.mayBeCharged ? 1 : 2;
  return rows.filter((row) => !row.isDone).toSorted((one, other) => order(one) - order(other));
}

/** Describes what was charged. It can be more than what is known. */
export function costsText({ usd, uncertain, uncertainUsd }: Costs): string {
  if (uncertain === 0) return formatUsd(usd);
  const estimate = uncertainUsd > 0 ? ` (estimate: ${formatUsd(uncertainUsd)})` : '';
  return `at least ${formatUsd(usd)}; ${count(uncertain)} may have been charged more${estimate}`;
}

/** A number of rows. */
export const count = (rows: number): string => (rows === 1 ? '1 row' : `${rows} rows`);

/** Describes the rows of a batch, and what earlier runs have done for them. */
export function rowsText(work: readonly WorkRow[], resendUnknown: boolean): string {
  const counts = { done: 0, saveAgain: 0, failed: 0, submitted: 0, unknown: 0 };
  for (const row of work) {
    const state = stateOf(row, resendUnknown);
    if (state !== 'open') counts[state] += 1;
  }
  const { done, saveAgain, failed, submitted, unknown } = counts;
  const kinds = [...new Set(work.map(({ kind }) => kind))].join(', ');
  const isFinished = work.length > 0 && done === work.length;
  return [
    `${work.length} (${kinds})`,
    isFinished ? 'all of them done by earlier runs' : `${done} of them done`,
    saveAgain > 0 && `${saveAgain} done earlier and to be saved again`,
    failed > 0 && `${failed} failed`,
    submitted > 0 && `${submitted} submitted earlier`,
    unknown > 0 && `${unknown} unknown`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Whether nothing is left to do for a row. */
export const isDone = ({ isDone: isSaved, recorded }: WorkRow): boolean =>
  isSaved || recorded?.isCompleted === true;

function stateOf(row: WorkRow, resendUnknown: boolean) {
  const { recorded } = row;
  if (isDone(row)) return 'done';
  if (recorded === undefined || needsPayment(row, resendUnknown)) return 'open';
  if (recorded.isLostChat) return 'unknown';
  if (recorded.status === 'succeeded') return 'saveAgain';
  return recorded.status === 'failed' ? 'failed' : 'submitted';
}

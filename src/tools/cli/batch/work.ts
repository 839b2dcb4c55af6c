import type { JournalRow } from '../../../internal.ts';
import { ExistingFiles } from '../files/existing.ts';
import { digest } from '../state/task-entry.ts';
import { areComplete } from './state/file-record.ts';
import type { FileRecord, RowFiles } from './state/file-record.ts';
import { currentId } from './state/journal-state.ts';
import type { JournalState } from './state/journal-state.ts';
import { namesOf } from './table/output-names.ts';
import type { PlannedRow } from './table/plan.ts';
import type { Problem } from './table/table.ts';

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

/** What earlier runs have left. */
interface Earlier {
  readonly journal: JournalState;
  readonly files: FileRecord;
  readonly template: string;
  readonly retryFailed: boolean;
}

/** Finds out what is left to do for a row. */
export function toWork(
  row: PlannedRow,
  { journal, files, template, retryFailed }: Earlier,
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
  for (const row of rows) {
    if (row.kind === 'chat' || row.saved !== undefined) continue;
    const found = namesOf(row, template)
      .map((name) => existing.find(name))
      .find((name) => name !== undefined);
    if (found === undefined) continue;
    problems.push({ line: row.line, message: `${found} exists; --force replaces it` });
  }
}

import { needsPayment } from './work.ts';
import type { WorkRow } from './work.ts';

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

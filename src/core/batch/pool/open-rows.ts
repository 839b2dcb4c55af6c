import { abortedError } from '../../../errors/aborted.ts';
import type { AbortedError } from '../../../errors/aborted.ts';
import type { OpenRow } from '../../../types/tasks/task-handle.ts';
import { mayBeCharged } from '../journal/row-history.ts';
import type { RowHistory } from '../journal/row-history.ts';
import type { RowState } from '../row/row.ts';

/** What a row without a result needs to be continued. */
function toOpenRow({ id, idempotencyKey, task, history, isSent }: RowState): OpenRow {
  const isPaid = task !== undefined || isSent === true || mayBeCharged(history);
  return { id, idempotencyKey, task, outcome: isPaid ? 'unknown' : 'not-sent' };
}

/**
 * The error of an aborted batch, with the rows that have no result. `unread` is what earlier runs recorded about rows that
 * this one has not read.
 */
export function batchAbortedError(
  reason: unknown,
  open: Iterable<RowState>,
  unread: readonly RowHistory[],
): AbortedError {
  const rows = Array.from(open, toOpenRow);
  const unknown = rows.filter(({ outcome }) => outcome === 'unknown').length;
  const isUnreadPaid = unread.some((row) => mayBeCharged(row) && !row.status);
  const outcome = unknown > 0 || isUnreadPaid ? 'unknown' : 'not-sent';
  return abortedError(
    reason,
    { outcome, rows },
    `Aborted by the caller. ${summary(rows.length, unknown)}` +
      (isUnreadPaid ? ' An earlier run may have been charged for rows that were not read.' : ''),
  );
}

function summary(open: number, unknown: number): string {
  if (open === 0) return 'Every row that was read has a result.';
  const count = `Rows without a result: ${open}.`;
  if (unknown === 0) return `${count} None of them was sent.`;
  return (
    `${count} Of these, ${unknown} may have been charged: run the batch again with the same journal, ` +
    'or continue with the tasks and idempotency keys in `rows` of this error.'
  );
}

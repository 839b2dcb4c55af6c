import type { RowKind } from '../row-driver.ts';
import type { RowStatus, RowData, RowState } from '../row.ts';
import { deadlineAfter } from './poll.ts';
import { accepted } from './settlement.ts';
import type { Move } from './step.ts';

/** Whether a retry needs a new key. A chat that is sent again may be charged again, as if it had one. */
export const needsNewKey = (kind: RowKind, isAnew: boolean): boolean => isAnew || kind === 'chat';

/** A failed or unknown row. */
interface RetriedRow {
  readonly data: RowData;
  readonly status: RowStatus;
  readonly state: RowState;
}

/** How such a row continues: with a new key, with its task, or with another submission under its key. */
export function afterRetry(
  { data, state, status }: RetriedRow,
  newKey: string | undefined,
  now: number,
  waitTimeout: number,
): Omit<Move, 'from'> {
  const { key, receipt, mayBeCharged, isCounted } = state;
  if (newKey) {
    // The errors of a chat still say that an earlier request of the row may have been charged.
    const earlier = data.kind === 'chat' ? { mayBeCharged } : {};
    // What was reserved for the old key may have been charged.
    return { to: 'waiting', state: { key: newKey, ...earlier }, settlement: accepted };
  }
  if (status === 'unknown' && receipt) {
    const deadline = deadlineAfter(now, waitTimeout);
    return { to: 'running', state: { ...state, deadline, interval: undefined } };
  }
  return { to: 'waiting', state: { key, mayBeCharged, isCounted } };
}

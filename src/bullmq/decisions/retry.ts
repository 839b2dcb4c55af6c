import type { Move } from '../move.ts';
import type { RowState, RowStatus } from '../row.ts';
import { spend } from '../settlement.ts';
import { deadlineAfter } from './poll.ts';

/** A row that has ended. */
interface EndedRow {
  readonly state: RowState;
  readonly status: RowStatus;
}

/** How a failed or unknown row continues: with a new key, with its task, or with another submission under its key. */
export function afterRetry(
  { state, status }: EndedRow,
  newKey: string | undefined,
  now: number,
  waitTimeout: number,
): Omit<Move, 'from'> {
  // What was reserved for the old key may have been charged.
  if (newKey) return { to: 'waiting', state: { key: newKey }, settlement: spend };
  if (status === 'unknown' && state.receipt) {
    const deadline = deadlineAfter(now, waitTimeout);
    return { to: 'running', state: { ...state, deadline, interval: undefined } };
  }
  return { to: 'waiting', state: { key: state.key, mayBeCharged: state.mayBeCharged } };
}

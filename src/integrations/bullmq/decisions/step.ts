import type { RowStatus } from '../row.ts';
import type { RowState } from '../stored-row.ts';
import type { NextTime } from './next-time.ts';
import type { Settlement } from './settlement.ts';

/** What a step has led to: how the row moves, and when its next step is due. */
export interface Step {
  readonly move: Move;
  readonly next: NextTime;
}

/** A change of a row. */
export interface Move {
  /** The status before. */
  readonly from: RowStatus;
  readonly to: RowStatus;
  readonly state: RowState;
  /** What happens to the reserved price; undefined keeps it. */
  readonly settlement?: Settlement | undefined;
  /** The account's limit as the service has reported it, or a hint if it reports none. */
  readonly limit?: number | 'more' | 'less' | undefined;
  /** Why the queue must pause. It pauses at once, so that no other row is submitted before. */
  readonly pause?: Exclude<PauseReason, 'caller'> | undefined;
}

/** Why a queue submits nothing: a 401 or no API key, a 402, its budget, or a call of `pause()`. */
export type PauseReason = 'authentication' | 'balance' | 'budget' | 'caller';

import { isEnded } from '../row.ts';
import type { RowStatus, RowState, RunningRow, StoredRow } from '../row.ts';
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
  /** The largest charge that a response has reported in USD, also if the submission does not end with it; 0 without one. */
  readonly reportedUsd?: number | undefined;
  /** The account's limit as the service has reported it, or a hint if it reports none. */
  readonly limit?: number | 'more' | 'less' | undefined;
  /** Why the queue must pause. It pauses at once, so that no other row is submitted before. */
  readonly pause?: Exclude<PauseReason, 'caller'> | undefined;
}

/** Why a queue submits nothing: a 401 or no API key, a 402, its budget, or a call of `pause()`. */
export type PauseReason = 'authentication' | 'balance' | 'budget' | 'caller';

/** What a worker does with a row whose job it has taken. */
type NextStep =
  | { readonly kind: 'end' | 'submit' | 'record-lost-chat' }
  | { readonly kind: 'poll'; readonly row: RunningRow };

/**
 * What comes next for a row. A worker that finds a submitting row takes the turn to submit it again under its key,
 * because the worker that has sent it died or lost its job. A chat has no such key; the turn stays that of the worker
 * that has sent it, which may still be alive and record the completion.
 */
export function nextStepOf(row: StoredRow): NextStep {
  const { status, data } = row;
  if (isEnded(status)) return { kind: 'end' };
  if (row.status === 'running') return { kind: 'poll', row };
  const isLostChat = status === 'submitting' && data.kind === 'chat';
  return { kind: isLostChat ? 'record-lost-chat' : 'submit' };
}

/**
 * When the next step of a row is due: after a delay, when its queue is resumed, or never, because the row has ended.
 */
type NextTime =
  | { readonly kind: 'end' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'when-resumed' };

export const end = { kind: 'end' } as const satisfies NextTime;

export const whenResumed = { kind: 'when-resumed' } as const satisfies NextTime;

export const after = (delayMs: number): NextTime => ({ kind: 'delay', delayMs });

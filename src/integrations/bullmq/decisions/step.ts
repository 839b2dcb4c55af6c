import type { RowStatus, RowState } from '../row.ts';
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
  /** The largest charge that a response has reported in USD: what one request costs. 0 without one. */
  readonly reportedUsd?: number | undefined;
  /** The account's limit as the service has reported it, or a hint if it reports none. */
  readonly limit?: number | 'more' | 'less' | undefined;
  /** Why the queue must pause. It pauses at once, so that no other row is submitted before. */
  readonly pause?: Exclude<PauseReason, 'caller'> | undefined;
}

/** Why a queue submits nothing: a 401 or no API key, a 402, its budget, or a call of `pause()`. */
export type PauseReason = 'authentication' | 'balance' | 'budget' | 'caller';

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

/**
 * Priorities of jobs, of which the lower one comes first: polls, then rows that were charged, and then those that a limit can keep
 * back, which are tried again and again. New rows of 0.3 have the priority 1.
 */
const pollPriority = 0;
const chargedPriority = 1;
export const submitPriority = 2;

/** The priority of a row that has moved to a status. */
export function priorityOf(to: RowStatus, { countedUsd }: RowState): number {
  if (to === 'running') return pollPriority;
  return countedUsd === undefined ? submitPriority : chargedPriority;
}

/** What BullMQ does with a job after a step of its row. */
export type JobEnd =
  | { readonly kind: 'complete'; readonly taskId: string | undefined }
  | { readonly kind: 'fail'; readonly reason: string }
  /** It runs again after a delay, and gets a priority if that is lower than its own. */
  | { readonly kind: 'delay'; readonly delayMs: number; readonly priority?: number }
  /** It returns to its position in the queue, and this worker takes no jobs for a while. */
  | { readonly kind: 'return'; readonly pauseMs: number };

/** How the job of a row that has ended ends. The result is in Redis already, with the row. */
export function jobEndOf(status: RowStatus, state: RowState): JobEnd {
  if (status === 'succeeded') return { kind: 'complete', taskId: state.receipt?.id };
  return { kind: 'fail', reason: state.error?.message ?? status };
}

/**
 * How long a worker takes no jobs after a row for which no slot was free, in ms, so that polls which become due come
 * first.
 */
export const slotPause = 200;

/** How long a worker takes no jobs after a row that the paused queue may not submit, in ms. */
export const pauseTime = 500;

/** Why a row may not submit now. */
export type Refusal =
  /** No slot is free, or the budget may cover the row when others have ended. */
  | 'full'
  /** The budget has changed since the decision about the row was made from it. */
  | 'changed'
  | 'paused'
  /** The queue is paused because its budget was exceeded, and it does not cover the row. */
  | 'used-up'
  /** The budget does not cover the row, so that the queue pauses now. */
  | 'exceeded'
  /** The row is no longer waiting, or has changed since it was read. */
  | 'gone';

/** Whether a row may submit, and why not. */
export type Admission =
  | { readonly admitted: true; readonly turn: string }
  | {
      readonly admitted: false;
      readonly reason: Refusal;
      /** Why the budget does not cover the row, if it is `exceeded` or `used-up`. */
      readonly problem?: string | undefined;
    };

/** When a refused row tries again, in ms; undefined if that would not help. */
export function retryDelayAfter(reason: Refusal): number | undefined {
  switch (reason) {
    case 'full':
      return 25;
    case 'changed':
      // Short, because each change lets another row submit, but not 0: many processes may be trying.
      return 5;
    case 'paused':
    case 'used-up':
    case 'exceeded':
    case 'gone':
      return undefined;
  }
}

/** How a job ends whose row may not submit now. */
export const jobEndAfterRefusal = (reason: Exclude<Refusal, 'gone'>): JobEnd => ({
  kind: 'return',
  pauseMs: reason === 'full' || reason === 'changed' ? slotPause : pauseTime,
});

/** How a job ends after a step that was recorded. */
export function jobEndAfter({ move: { to, state }, next }: Step): JobEnd {
  switch (next.kind) {
    case 'end':
      return jobEndOf(to, state);
    case 'when-resumed':
      return jobEndAfterRefusal('paused');
    case 'delay':
      return { kind: 'delay', delayMs: next.delayMs, priority: priorityOf(to, state) };
  }
}

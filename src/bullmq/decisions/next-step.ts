import type { Step } from '../move.ts';
import { isEnded } from '../row.ts';
import type { RunningRow, StoredRow } from '../stored-row.ts';

/** How long a worker takes no jobs after a row for which no slot was free, in ms, so that polls which become due come first. */
export const slotPause = 200;

/** How long a worker takes no jobs after a row that the paused queue may not submit, in ms. */
export const pauseTime = 500;

/** What a worker does with a row whose job it has taken. */
export type NextStep =
  | { readonly kind: 'end' | 'submit' | 'record-lost-chat' }
  | { readonly kind: 'poll'; readonly row: RunningRow };

/**
 * What comes next for a row. A worker that finds a submitting row takes the turn to submit it again under its key, because
 * the worker that has sent it died or lost its job. A chat has no such key; the turn stays that of the worker that has sent
 * it, which may still be alive and record the completion.
 */
export function nextStepOf(row: StoredRow): NextStep {
  const { status, data } = row;
  if (isEnded(status)) return { kind: 'end' };
  if (row.status === 'running') return { kind: 'poll', row };
  const isLostChat = status === 'submitting' && data.kind === 'chat';
  return { kind: isLostChat ? 'record-lost-chat' : 'submit' };
}

/** What BullMQ does with a job after a step of its row. */
export type JobEnd =
  | { readonly kind: 'complete'; readonly taskId: string | undefined }
  | { readonly kind: 'fail'; readonly reason: string }
  /** It runs again after a delay; if it is a poll, before the jobs of new rows. */
  | { readonly kind: 'delay'; readonly delayMs: number; readonly isPoll: boolean }
  /** It returns to its position in the queue, and this worker takes no jobs for a while. */
  | { readonly kind: 'return'; readonly pauseMs: number };

/** How the job of a row that has ended ends. The result is in Redis already, with the row. */
export function jobEndOf({ status, state }: Pick<StoredRow, 'status' | 'state'>): JobEnd {
  if (status === 'succeeded') return { kind: 'complete', taskId: state.receipt?.id };
  return { kind: 'fail', reason: state.error?.message ?? status };
}

/** How a job ends whose row may not submit now, because no slot is free or the queue is paused. */
export const jobEndAfterRefusal = (reason: 'full' | 'changed' | 'paused' | 'exceeded'): JobEnd => ({
  kind: 'return',
  pauseMs: reason === 'full' || reason === 'changed' ? slotPause : pauseTime,
});

/** How a job ends after a step that was recorded. */
export function jobEndAfter({ move: { to, state }, next }: Step): JobEnd {
  switch (next.kind) {
    case 'end':
      return jobEndOf({ status: to, state });
    case 'when-resumed':
      return jobEndAfterRefusal('paused');
    case 'delay':
      return { kind: 'delay', delayMs: next.delayMs, isPoll: to === 'running' };
  }
}

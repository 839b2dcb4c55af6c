import { abortedError } from '../../../errors/call.ts';
import { errorRecord } from '../row.ts';
import type { RowStatus, RowState, StoredRow } from '../row.ts';
import { endOfUnaccepted, workerPauseAfter } from './failures.ts';
import type { Refusal } from './failures.ts';
import { settlementOfEarlier } from './settlement.ts';
import { after } from './step.ts';
import type { Step } from './step.ts';

/** What BullMQ does with a job after a step of its row. */
export type JobEnd =
  | { readonly kind: 'complete'; readonly taskId: string | undefined }
  | { readonly kind: 'fail'; readonly reason: string }
  /** It runs again after a delay; if it is a poll, before the jobs of new rows. */
  | { readonly kind: 'delay'; readonly delayMs: number; readonly isPoll: boolean }
  /** It returns to its position in the queue, and this worker takes no jobs for a while. */
  | { readonly kind: 'return'; readonly pauseMs: number };

/** How the job of a row that has ended ends. The result is in Redis already, with the row. */
export function jobEndOf(status: RowStatus, state: RowState): JobEnd {
  if (status === 'succeeded') return { kind: 'complete', taskId: state.receipt?.id };
  return { kind: 'fail', reason: state.error?.message ?? status };
}

/** How a job ends whose row may not submit now. */
export const jobEndAfterRefusal = (reason: Exclude<Refusal, 'gone'>): JobEnd => ({
  kind: 'return',
  pauseMs: workerPauseAfter(reason),
});

/** How a job ends after a step that was recorded. */
export function jobEndAfter({ move: { to, state }, next }: Step): JobEnd {
  switch (next.kind) {
    case 'end':
      return jobEndOf(to, state);
    case 'when-resumed':
      return jobEndAfterRefusal('paused');
    case 'delay':
      return { kind: 'delay', delayMs: next.delayMs, isPoll: to === 'running' };
  }
}

/**
 * What follows for a row that was admitted after its worker had been closed, as when Redis was unreachable meanwhile:
 * it is not sent, so that another worker may submit it. `mayBeCharged`: an earlier submission under the key may have
 * been.
 */
export function afterClose({ data, state, key }: StoredRow, mayBeCharged: boolean): Step {
  const isChat = data.kind === 'chat';
  const message = 'The worker was closed before the row was sent.';
  const unsent = abortedError(undefined, { outcome: 'not-sent' }, message);
  const { error } = endOfUnaccepted(unsent, mayBeCharged, isChat);
  return {
    move: {
      from: 'submitting',
      to: 'waiting',
      state: { ...state, mayBeCharged, error: errorRecord(error, isChat ? undefined : key) },
      settlement: settlementOfEarlier(mayBeCharged, isChat),
    },
    next: after(0),
  };
}

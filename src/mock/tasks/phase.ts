import type { Task } from '../state.ts';

/** The status and progress of a task at a given time. */
export interface Phase {
  status: 'queued' | 'in_progress' | 'processing' | 'completed' | 'failed';
  rawStatus: 'SUBMITTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
  percent: number;
}

/** The fraction of its duration after which a task leaves the queue. */
const queuedShare = 0.2;

/** The fraction of its duration after which the status changes from `in_progress` to `processing`. */
const processingShare = 0.8;

/** The phase of a task in its submit response. */
export const justSubmitted: Phase = { status: 'queued', rawStatus: 'SUBMITTED', percent: 0 };

/** Computes the phase of a task from the clock. */
export function phaseOf(task: Task, now: number): Phase {
  const elapsed = now - task.createdAt;
  const duration = task.endsAt - task.createdAt;
  if (now >= task.endsAt) {
    if (task.outcome === 'failed') return { status: 'failed', rawStatus: 'FAILURE', percent: 100 };
    return { status: 'completed', rawStatus: 'SUCCESS', percent: 100 };
  }
  if (elapsed < duration * queuedShare) return justSubmitted;
  const percent = Math.max(1, Math.min(99, Math.floor((elapsed / duration) * 100)));
  const status = elapsed < duration * processingShare ? 'in_progress' : 'processing';
  return { status, rawStatus: 'IN_PROGRESS', percent };
}

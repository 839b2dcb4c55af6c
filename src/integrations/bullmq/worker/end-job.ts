import { DelayedError, RateLimitError, UnrecoverableError } from 'bullmq';
import type { Job, Queue } from 'bullmq';

import type { JobEnd } from '../decisions/job-end.ts';
import { pollPriority } from '../redis/bullmq-layout.ts';
import type { RowData } from '../stored-row.ts';

/** Changes in Redis what BullMQ expects before the job ends. Without the lock of the job, this fails. */
export async function prepareEnd(
  jobs: Queue<RowData>,
  job: Job<RowData>,
  token: string | undefined,
  end: JobEnd,
): Promise<void> {
  if (end.kind === 'return') await jobs.rateLimit(end.pauseMs);
  if (end.kind !== 'delay') return;
  if (end.isPoll && job.priority !== pollPriority) {
    await job.changePriority({ priority: pollPriority });
  }
  // BullMQ compares this time with the clock of the process.
  await job.moveToDelayed(Date.now() + end.delayMs, token);
}

/** Ends a job: with its result, or with the error that BullMQ expects for any other end. */
export function resultOf(end: JobEnd): { readonly taskId: string | undefined } {
  switch (end.kind) {
    case 'complete':
      return { taskId: end.taskId };
    case 'fail':
      throw new UnrecoverableError(end.reason);
    case 'delay':
      throw new DelayedError();
    case 'return':
      throw new RateLimitError();
  }
}

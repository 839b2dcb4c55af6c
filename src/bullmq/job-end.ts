import { DelayedError, RateLimitError, UnrecoverableError } from 'bullmq';

import type { StoredRow } from './redis/store.ts';

/** Whether an error is an instruction for BullMQ, such as to delay the job. */
export function isControlFlow(error: unknown): boolean {
  return (
    error instanceof DelayedError ||
    error instanceof UnrecoverableError ||
    error instanceof RateLimitError
  );
}

/** The result of a job. It is in Redis already, with the row. */
export function finish({ status, state }: StoredRow): { taskId: string | undefined } {
  if (status === 'succeeded') return { taskId: state.receipt?.id };
  throw new UnrecoverableError(state.error?.message ?? status);
}

import { DelayedError, RateLimitError, UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import type { Polygate } from 'polygate';

import { logOf } from '../internal/row-driver.ts';
import { isRecord, textOf } from '../types/type-guards.ts';
import type { StoredRow } from './redis/store.ts';
import type { RowData } from './row.ts';

/** Whether an error is an instruction for BullMQ, such as to delay the job. */
export function isControlFlow(error: unknown): boolean {
  return (
    error instanceof DelayedError ||
    error instanceof UnrecoverableError ||
    error instanceof RateLimitError
  );
}

/** Another process has taken the row, so the step of this one comes too late. */
export class RowTakenError extends Error {
  override readonly name = 'RowTakenError';
}

/** Logs the error of a step that is repeated after `delayMs`, unless it is normal: another process has the row. */
export function logFailedStep(
  gateway: Polygate,
  { id: jobId, data }: Job<RowData>,
  delayMs: number,
  error: unknown,
): void {
  if (error instanceof RowTakenError) return;
  // A job of someone else can have any data.
  const id = (isRecord(data) && textOf(data.id)) || jobId;
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  logOf(gateway).warn(
    () => `row ${id}: a step failed and is repeated in ${delayMs / 1_000} s or later. ${reason}`,
  );
}

/** The result of a job. It is in Redis already, with the row. */
export function finish({ status, state }: StoredRow): { taskId: string | undefined } {
  if (status === 'succeeded') return { taskId: state.receipt?.id };
  throw new UnrecoverableError(state.error?.message ?? status);
}

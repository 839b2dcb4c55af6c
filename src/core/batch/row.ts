import { PolygateError } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { TaskFailedError } from '../../errors/tasks.ts';
import { fingerprint } from '../tasks/fingerprint.ts';

/** What is known about a row of a batch or a queue. */
export interface RowProgress {
  /** Whether its submission was accepted. */
  readonly hasTask: boolean;
  /** Whether an earlier submission under its key may have been charged. */
  readonly mayBeCharged: boolean;
  /** Whether this process has recorded the submission, so that it may have been sent. */
  readonly isRecorded?: boolean | undefined;
}

/** The idempotency key of a row: the same in every process that works on it. */
export async function rowKey(...identity: string[]): Promise<string> {
  return `pg-${await fingerprint(...identity)}`;
}

/**
 * Whether an error proves that the task of the row failed or nothing was charged. If not, the row may have been charged,
 * and must be continued under the same key.
 */
export function isFinalError(
  { hasTask, mayBeCharged, isRecorded }: RowProgress,
  error: unknown,
): boolean {
  if (hasTask) return TaskFailedError.is(error);
  // What happens now says nothing about a request that was sent before.
  if (mayBeCharged) return false;
  // A callback that submits a request itself may have caused a charge before the row was recorded.
  if (!isRecorded) return !(PolygateError.is(error) && error.outcome === 'unknown');
  if (!PolygateError.is(error) || error.task) return false;
  return isUncharged(error);
}

/** Whether an error proves that no attempt of its call was charged. */
export function isUncharged(error: unknown): boolean {
  if (!PolygateError.is(error)) return false;
  // A `ConfigurationError` without an outcome was thrown before anything was sent.
  return error.outcome === undefined ? ConfigurationError.is(error) : error.outcome !== 'unknown';
}

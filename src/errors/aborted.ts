import type { OpenRow } from '../wire/types/tasks/task-handle.ts';
import { PolygateError } from './base.ts';
import type { ErrorDetails } from './base.ts';

/**
 * The caller's signal aborted the call; `cause` is `signal.reason`. A task that was already submitted is not canceled
 * and keeps running.
 */
export class AbortedError extends PolygateError {
  static override readonly className: string = 'AbortedError';

  /**
   * Only from a batch or a recovery: the rows that were read and have no result. Rows that had finished were yielded
   * before this error.
   */
  declare readonly rows?: readonly OpenRow[];
}

/** The error for a signal that aborted; `cause` is the signal's reason. */
export function abortedError(
  cause: unknown,
  details: ErrorDetails = {},
  message = 'Aborted by the caller.',
): AbortedError {
  return new AbortedError(message, { ...details, cause });
}

/** The errors of work that sends nothing. */
export const notSent = {
  aborted: (reason: unknown) => abortedError(reason, { outcome: 'not-sent' }),
};

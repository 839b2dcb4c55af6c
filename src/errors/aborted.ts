import type { OpenRow } from '../types/tasks/task-handle.ts';
import { PolygateError } from './base.ts';

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

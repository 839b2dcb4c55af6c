import { PolygateError } from './base.ts';

/**
 * The caller's signal aborted the call; `cause` is `signal.reason`. A task that was already submitted is not cancelled
 * and keeps running.
 */
export class AbortedError extends PolygateError {
  static override readonly className: string = 'AbortedError';
}

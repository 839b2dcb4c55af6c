import { PolygateError } from './base.ts';

/** The caller's signal ended the call; `cause` is the signal's reason. A submitted task goes on. */
export class AbortedError extends PolygateError {
  static override readonly className: string = 'AbortedError';
}

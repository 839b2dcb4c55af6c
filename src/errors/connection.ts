import { PolygateError } from './base.ts';
import type { ErrorDetails } from './base.ts';

/** No complete response was received. `outcome` says whether the request may have been charged. */
export class ConnectionError extends PolygateError {
  static override readonly className: string = 'ConnectionError';

  /**
   * `not-sent`: the last attempt never reached the service, and the service rejected all earlier ones that did, so
   * nothing was charged. `unknown`: the request may have been charged.
   */
  declare readonly outcome: 'not-sent' | 'unknown';

  constructor(message: string, { outcome, ...details }: ErrorDetails = {}) {
    const isUncharged = outcome === 'not-sent' || outcome === 'rejected';
    super(message, { ...details, outcome: isUncharged ? 'not-sent' : 'unknown' });
  }
}

/** No complete response arrived within `timeout` (one attempt) or `totalTimeout` (the whole call). */
export class RequestTimeoutError extends ConnectionError {
  static override readonly className: string = 'RequestTimeoutError';
}

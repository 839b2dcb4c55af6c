import { PolygateError } from './base.ts';
import type { Outcome } from './base.ts';

/** No answer came. `outcome` tells whether the service may have seen the request. */
export class ConnectionError extends PolygateError {
  static override readonly className: string = 'ConnectionError';
  declare readonly outcome: Outcome;
}

/** The answer did not come in time (`timeout`). */
export class RequestTimeoutError extends ConnectionError {
  static override readonly className: string = 'RequestTimeoutError';
}

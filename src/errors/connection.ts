import { PolygateError } from './base.ts';
import type { Outcome } from './base.ts';

/** No complete response was received. `outcome` says whether the request may have reached the service. */
export class ConnectionError extends PolygateError {
  static override readonly className: string = 'ConnectionError';
  /** Whether the request may have been charged. */
  declare readonly outcome: Outcome;
}

/** The response did not arrive within `timeout`. */
export class RequestTimeoutError extends ConnectionError {
  static override readonly className: string = 'RequestTimeoutError';
}

import { ConnectionError } from './connection.ts';

/** The answer did not come in time (`timeout`). */
export class RequestTimeoutError extends ConnectionError {
  static override readonly className: string = 'RequestTimeoutError';
}

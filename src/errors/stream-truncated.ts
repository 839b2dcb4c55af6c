import { StreamError } from './stream.ts';

/** The stream ended before its end was proven. `partial` holds what arrived; the request was charged. */
export class StreamTruncatedError extends StreamError {
  static override readonly className: string = 'StreamTruncatedError';
}

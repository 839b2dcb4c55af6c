import { StreamError } from './stream.ts';

/** The stream went silent for longer than `streamIdleTimeout`. `partial` holds what arrived. */
export class StreamIdleTimeoutError extends StreamError {
  static override readonly className: string = 'StreamIdleTimeoutError';
}

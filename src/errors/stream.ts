import type { ChatCompletion } from '../schemas/chat-completion.ts';
import type { ResponseMeta } from '../schemas/meta.ts';
import { PolygateError } from './base.ts';
import type { ErrorDetails } from './base.ts';

/** What an error of a stream is made of. */
export interface StreamErrorDetails extends ErrorDetails {
  /** Headers of the answer, parsed. */
  meta?: ResponseMeta | undefined;
  /** What arrived so far, put together. */
  partial?: ChatCompletion | undefined;
  /** Machine-readable reason, when the service sent an error object. */
  code?: string | undefined;
  /** Family of the reason, when the service sent an error object. */
  type?: string | undefined;
}

/**
 * A stream went wrong after its headers: the service sent an error object, something that is no chunk, or an event
 * over the size limit.
 */
export class StreamError extends PolygateError {
  static override readonly className: string = 'StreamError';

  /** Headers of the answer, parsed. */
  declare readonly meta?: ResponseMeta;
  /** What arrived so far, put together. */
  declare readonly partial?: ChatCompletion;
  /** Machine-readable reason, when the service sent an error object. */
  declare readonly code?: string;
  /** Family of the reason, when the service sent an error object. */
  declare readonly type?: string;

  constructor(message: string, details?: StreamErrorDetails) {
    super(message, details);
  }
}

/** The stream ended before its end was proven. `partial` holds what arrived; the request was charged. */
export class StreamTruncatedError extends StreamError {
  static override readonly className: string = 'StreamTruncatedError';
}

/** The stream went silent for longer than `streamIdleTimeout`. `partial` holds what arrived. */
export class StreamIdleTimeoutError extends StreamError {
  static override readonly className: string = 'StreamIdleTimeoutError';
}

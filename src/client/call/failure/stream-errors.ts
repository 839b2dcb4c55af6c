import type { ErrorDetails, PolygateError } from '../../../errors/base.ts';
import { StreamError, StreamIdleTimeoutError } from '../../../errors/chat.ts';
import { networkAdvice } from '../../http/network-error.ts';
import type { CallHistory } from '../attempt/history.ts';
import { composeError, safeCause } from './compose-error.ts';
import { CallErrors } from './errors.ts';

/** The errors of a call whose body is read while it is received. */
export class StreamErrors extends CallErrors {
  protected readonly history: CallHistory;

  constructor(history: CallHistory) {
    super(history);
    this.history = history;
  }

  /**
   * A body ended too early. `summary` names the body. The reason is the message of `error`, or `problem` if the body ended
   * without an error.
   */
  bodyInterrupted<Interrupted extends PolygateError>(
    Class: new (message: string, details: ErrorDetails) => Interrupted,
    summary: string,
    problem: string,
    error?: unknown,
  ): Interrupted {
    const cause = error === undefined ? undefined : safeCause(this.history, error);
    const message = {
      summary: `${summary}: ${cause?.message ?? problem}`,
      advice: networkAdvice(error),
    };
    return composeError(this.history, Class, message, { outcome: 'unknown', cause });
  }

  /** A stream sent nothing for too long. */
  streamIdle(ms: number): StreamIdleTimeoutError {
    const summary = `No data received for ${ms} ms (streamIdleTimeout)`;
    return composeError(this.history, StreamIdleTimeoutError, { summary }, { outcome: 'unknown' });
  }

  /** A stream contains invalid data. */
  invalidStream(problem: string): StreamError {
    const summary = `Invalid stream: ${problem}`;
    return composeError(this.history, StreamError, { summary }, { outcome: 'unknown' });
  }

  /** A stream contains an error object instead of a chunk. */
  streamErrorEvent(data: string): StreamError {
    return this.reportedError('The stream contains an error', data);
  }
}

import type { ErrorDetails, PolygateError } from '../../errors/base.ts';
import { StreamIdleTimeoutError } from '../../errors/chat.ts';
import { networkAdvice } from '../http/failure.ts';
import { composeError, safeCause } from './compose-error.ts';
import type { CallHistory } from './history.ts';

// The errors of bodies that are read piece by piece: only the parts that do so load these.

/**
 * A body ended too early. `summary` names the body. The reason is the message of `error`, or `problem` if the body ended
 * without an error.
 */
export function bodyInterrupted<Interrupted extends PolygateError>(
  call: CallHistory,
  Class: new (message: string, details: ErrorDetails) => Interrupted,
  summary: string,
  problem: string,
  error?: unknown,
): Interrupted {
  const cause = error === undefined ? undefined : safeCause(call, error);
  const message = {
    summary: `${summary}: ${cause?.message ?? problem}`,
    advice: networkAdvice(error),
  };
  return composeError(call, Class, message, { outcome: 'unknown', cause });
}

/** A stream sent nothing for too long. */
export function streamIdle(call: CallHistory, ms: number): StreamIdleTimeoutError {
  const summary = `No data received for ${ms} ms (streamIdleTimeout)`;
  return composeError(call, StreamIdleTimeoutError, { summary }, { outcome: 'unknown' });
}

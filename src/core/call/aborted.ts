import { AbortedError } from '../../errors/aborted.ts';
import type { ErrorDetails } from '../../errors/base.ts';

/** The error for a signal that aborted; `cause` is the signal's reason. */
export function abortedError(
  cause: unknown,
  details: ErrorDetails = {},
  message = 'Aborted by the caller.',
): AbortedError {
  return new AbortedError(message, { ...details, cause });
}

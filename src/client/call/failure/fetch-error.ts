import { AbortedError } from '../../../errors/call.ts';
import { isRecord, textOf } from '../../../wire/types/type-guards.ts';

/**
 * What `fetch`, and the body of its response, rejects with. Libraries recognize aborts and timeouts by the name of the error, so an
 * `AbortedError` has the name of the signal's reason: `AbortError` or `TimeoutError`. An error that the caller created as
 * the reason is rejected as it is.
 */
export function toFetchError(error: unknown): unknown {
  if (!AbortedError.is(error)) return error;
  const { cause } = error;
  // Also that of a frame, or of jsdom, which is no instance of this `Error`.
  const isOfRuntime = Object.prototype.toString.call(cause) === '[object DOMException]';
  if (cause instanceof Error && !isOfRuntime) return cause;
  const name = isOfRuntime && isRecord(cause) ? textOf(cause.name) : undefined;
  return Object.assign(error, { name: name ?? 'AbortError' });
}

import { PolygateError } from '../../errors/base.ts';
import { AbortedError } from '../../errors/call.ts';
import type { ResponseDetails } from '../../internal/gateway-fetch.ts';
import { isRecord } from '../../wire/types/type-guards.ts';

/**
 * Names an error as the AI SDK does: `AbortError` after an abort by the user, `TimeoutError` after a timeout of the AI
 * SDK.
 */
export function toAbort(error: unknown, signal: AbortSignal | null | undefined): unknown {
  const isOther = PolygateError.is(error) && !AbortedError.is(error);
  if (!signal?.aborted || isOther || isAbort(error)) return error;
  const message = error instanceof Error ? error.message : 'Aborted by the caller.';
  const name = isAbort(signal.reason) ? signal.reason.name : 'AbortError';
  return Object.assign(new Error(message, { cause: error }), { name });
}

/** The client's error for one that ended a call. It stays as it is if no response has arrived. */
export function toGenerateError(error: unknown, response: ResponseDetails | undefined): unknown {
  if (response === undefined) return error;
  return (
    clientError(error) ??
    response.bodyErrors?.invalidResponse(messageOf(error), bodyOf(error)) ??
    error
  );
}

/** The client's error for one that ended a stream, or that the stream contains. */
export function toStreamError(error: unknown, response: ResponseDetails | undefined): unknown {
  const { bodyErrors } = response ?? {};
  return (
    clientError(error) ??
    (error instanceof Error
      ? bodyErrors?.invalidStream(messageOf(error))
      : bodyErrors?.streamErrorEvent(JSON.stringify({ error }))) ??
    error
  );
}

/** An error that needs no conversion: an abort, or an error of the client that the AI SDK may have wrapped. */
function clientError(error: unknown): unknown {
  if (isAbort(error) || PolygateError.is(error)) return error;
  return isRecord(error) && PolygateError.is(error.cause) ? error.cause : undefined;
}

/** Whether the AI SDK regards an error as an abort. */
export function isAbort(error: unknown): error is Error {
  return error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name);
}

/** The message of an error of the AI SDK, which can quote the whole response. */
function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}

function bodyOf(error: unknown): unknown {
  return isRecord(error) ? (error.responseBody ?? error.data) : undefined;
}

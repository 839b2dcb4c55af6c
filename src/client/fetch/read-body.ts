import { notSent, RequestTimeoutError } from '../../errors/call.ts';
import type { CallLimits } from '../call/call-limits.ts';
import { timeoutSummary } from '../call/failure/error-message.ts';
import type { Clock } from '../config/clock.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { FetchRequest, RequestBody } from './fetch-request.ts';
import { createRequest, invalidRequest } from './foreign-request.ts';

/**
 * Reads the body of a request into memory. Rejects if the signal aborts, or if the body does not end within
 * `totalTimeout`.
 */
export async function readBody(
  { method, url, created, source, signal }: FetchRequest,
  clock: Clock,
  { totalTimeout }: CallLimits,
): Promise<RequestBody> {
  if (!(source instanceof Object)) return source;
  const read = async () => {
    try {
      return await source.arrayBuffer();
    } catch (cause) {
      throw invalidRequest(cause);
    }
  };
  const limit = totalTimeout === Infinity ? {} : { clock, ms: totalTimeout };
  const buffer = await runWithTimeLimit(read, { signal, errors, ...limit });
  // Firefox has no `request.body`, so an empty body counts as none.
  if (buffer.byteLength === 0) return undefined;
  const bytes = new Uint8Array(buffer);
  // The constructor has not seen this body, which a GET must not have.
  if (source !== created) createRequest(url, { method, body: bytes }, false);
  return bytes;
}

const errors = {
  ...notSent,
  timeout: (ms: number) =>
    new RequestTimeoutError(
      `${timeoutSummary('unsent', ms, 'totalTimeout')}, because its body did not end.`,
      { outcome: 'not-sent' },
    ),
};

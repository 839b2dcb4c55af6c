/**
 * Why a call has failed, so that no code has to read messages:
 *
 * - `invalid`: an option, a param, a row or a journal is invalid, or the service rejects the request as invalid.
 * - `base-url`: the base URL is missing or invalid, or the service redirects.
 * - `api-key`: the API key is missing or unknown, or the function that returns it fails.
 * - `forbidden`: the key is disabled, or may not make this request.
 * - `balance`: the balance is insufficient.
 * - `budget`: a limit of your own does not cover the request.
 * - `slot`: no concurrency slot became free.
 * - `rate-limit`: too many requests.
 * - `not-found`: the model, task, material or path does not exist.
 * - `conflict`: the idempotency key was used for another request.
 * - `unavailable`: the service is down or overloaded.
 * - `service`: the service failed, also in a stream.
 * - `rejected`: the service responded with another error status.
 * - `connection-refused`, `unreachable`: there is no connection to the service.
 * - `lost`: no complete response was received.
 * - `timeout`: a time limit was exceeded.
 * - `aborted`: a signal aborted.
 * - `malformed`: the response or the stream is invalid.
 * - `failed`: the task or the material failed.
 * - `hook`: a hook failed.
 * - `not-loaded`: a file of the client could not be loaded.
 * - `resend`: an earlier run may have been charged for this chat, and only `resendUnknown` or `queue.retry` sends it again.
 * - `rounds`: the model still calls tools after `maxRounds` requests.
 * - `refused`, `length`, `content_filter`, `mismatch`: see `StructuredOutputError`.
 */
export type ErrorReason =
  | 'invalid'
  | 'base-url'
  | 'api-key'
  | 'forbidden'
  | 'balance'
  | 'budget'
  | 'slot'
  | 'rate-limit'
  | 'not-found'
  | 'conflict'
  | 'unavailable'
  | 'service'
  | 'rejected'
  | 'connection-refused'
  | 'unreachable'
  | 'lost'
  | 'timeout'
  | 'aborted'
  | 'malformed'
  | 'failed'
  | 'hook'
  | 'not-loaded'
  | 'resend'
  | 'rounds'
  | 'refused'
  | 'length'
  | 'content_filter'
  | 'mismatch';

/** The code for too many requests in flight. */
export const concurrencyLimitCode = 'concurrency_limit_exceeded';

const reasons: Readonly<Record<number, ErrorReason>> = {
  400: 'invalid',
  401: 'api-key',
  402: 'balance',
  403: 'forbidden',
  404: 'not-found',
  408: 'timeout',
  409: 'conflict',
  422: 'invalid',
  429: 'rate-limit',
  503: 'unavailable',
};

/** The reason of an error response. */
export function reasonOf(status: number, code?: string): ErrorReason {
  if (status < 400) return 'base-url';
  if (status === 429 && code === concurrencyLimitCode) return 'slot';
  return reasons[status] ?? (status > 499 ? 'service' : 'rejected');
}

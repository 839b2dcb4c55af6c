import { APIError } from '../../errors/api.ts';
import type { Outcome } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';

/**
 * What happens when a request reaches the service more than once: `safe` requests cost nothing, `keyed` requests are
 * replayed under their idempotency key, `once` requests are charged each time.
 */
export type Safety = 'safe' | 'keyed' | 'once';

/** What is known about a failed attempt. */
export interface Failure {
  /** HTTP status; undefined without a response. */
  status?: number | undefined;
  /** The service's error code. */
  code?: string | undefined;
  /** Delay requested by the service before the next attempt, in ms. */
  retryAfterMs?: number | undefined;
  /** Whether the service may have carried out the request. */
  outcome: Outcome;
}

/** The service's error code for too many requests in flight. */
export const concurrencyLimitCode = 'concurrency_limit_exceeded';

/** Codes of errors that a retry cannot resolve, whatever the status. Specification: Codes. */
const permanentCode =
  /^(invalid_|api_key_|insufficient_)|_(not_found|not_available|not_managed|conflict|consent_required)$/;

/** What an error response says about the request: rejected, or possibly carried out. Specification: Codes. */
export function outcomeOf(status: number, code = ''): Outcome {
  const isUncertain =
    status === 408 || (status >= 500 && status !== 503) || code.endsWith('_outcome_uncertain');
  return isUncertain ? 'unknown' : 'rejected';
}

/**
 * The outcome of a call, given that of the attempts so far and that of the last one. Once an attempt may have been
 * charged, so may the call; and a request that was once rejected has reached the service.
 */
export function combineOutcomes(previous: Outcome, last: Outcome): Outcome {
  return previous === 'unknown' || last === 'not-sent' ? previous : last;
}

/** Whether a failure may be retried, given the request's safety. */
export function isRetryable({ status, code = '', outcome }: Failure, safety: Safety): boolean {
  if (permanentCode.test(code) || status === 501 || status === 505) return false;
  if (status === 429 || outcome === 'not-sent') return true;
  return outcome === 'rejected' ? status === 503 : safety !== 'once';
}

/** What an error reveals about the attempt; undefined for errors that are never retried, such as an abort. */
export function classifyFailure(error: unknown): Failure | undefined {
  if (error instanceof APIError) {
    const { status, code, retryAfterMs } = error;
    return { status, code, retryAfterMs, outcome: outcomeOf(status, code) };
  }
  if (error instanceof ConnectionError) return error;
  if (!(error instanceof ResponseValidationError)) return undefined;
  const { body, meta } = error;
  // A body that looks like truncated JSON, and headers that name no task that a retry could lose.
  const isTruncated = typeof body === 'string' && /^\s*[[{]/.test(body) && !meta.taskId;
  return isTruncated ? { outcome: 'unknown' } : undefined;
}

/** Full jitter: a random part of a limit that doubles from 500 ms to 8 s. `attempt` counts from 0. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(8_000, 500 * 2 ** attempt);
}

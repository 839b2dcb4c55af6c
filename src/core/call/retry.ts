import { APIError } from '../../errors/api.ts';
import type { Outcome } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';

/**
 * How often a request may reach the service: `safe` changes nothing that is paid, `keyed` is replayed under its
 * idempotency key, `once` is paid anew each time it arrives.
 */
export type Safety = 'safe' | 'keyed' | 'once';

/** What is known of a failed attempt. */
export interface Failure {
  /** HTTP status; absent when no answer came. */
  status?: number | undefined;
  /** The service's code for it. */
  code?: string | undefined;
  /** Whether the service may have carried the request out. */
  outcome: Outcome;
}

/** What to do after a failed attempt: try again, wait for a concurrency slot, or tell the caller. */
export type RetryDecision = 'retry' | 'queue' | 'fail';

/** The service's code where too many requests run at once. */
export const concurrencyLimitCode = 'concurrency_limit_exceeded';

/** Answers that say no whatever their status: asking again cannot help. Specification: Codes. */
const finalCode =
  /^(invalid_|api_key_|insufficient_)|_(not_found|not_available|not_managed|conflict|consent_required)$/;

/** Answers that admit not to know whether the work was done. Specification: Codes. */
const uncertainCode = /_outcome_uncertain$/;

/** What an answered failure says about the request: carried out, refused, or nobody knows. */
export function outcomeOf(status: number, code = ''): Outcome {
  const open = status === 408 || (status >= 500 && status !== 503) || uncertainCode.test(code);
  return open ? 'unknown' : 'rejected';
}

/** The one place that decides what happens after a failed attempt. */
export function decideRetry(
  { status, code = '', outcome }: Failure,
  safety: Safety,
): RetryDecision {
  if (finalCode.test(code)) return 'fail';
  if (status === 429) return code === concurrencyLimitCode ? 'queue' : 'retry';
  if (status === 503 && outcome === 'rejected') return 'retry';
  if (status === 501 || status === 505 || outcome === 'rejected') return 'fail';
  return outcome === 'not-sent' || safety !== 'once' ? 'retry' : 'fail';
}

/** What an error says about the attempt; undefined when the attempt is not what failed. */
export function classifyFailure(error: unknown): Failure | undefined {
  if (error instanceof APIError) {
    const { status, code } = error;
    return { status, code, outcome: outcomeOf(status, code) };
  }
  // Where an earlier attempt was refused, that is the outcome of the call; this one never got through.
  if (error instanceof ConnectionError) {
    return { outcome: error.outcome === 'rejected' ? 'not-sent' : error.outcome };
  }
  if (error instanceof ResponseValidationError && isTruncatedJson(error))
    return { outcome: 'unknown' };
  return undefined;
}

/** Whether an answer looks like JSON that broke off, with nothing in it that would be lost by asking again. */
function isTruncatedJson({ body, meta }: ResponseValidationError): boolean {
  return typeof body === 'string' && /^\s*[[{]/.test(body) && meta.taskId === undefined;
}

/** Full jitter: a random part of a limit that doubles from 500 ms to 8 s. `attempt` counts from 0. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(8_000, 500 * 2 ** attempt);
}

/** Retries that may follow each other without a success. */
const capacity = 20;

/**
 * Keeps a client from hammering a service that is down: a retry costs one token, a success gives one back. With
 * the bucket empty, failures surface at once.
 */
export class RetryBudget {
  #tokens = capacity;

  /** Takes a token for a retry; false when there is none. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** A success: the service works. */
  refund(): void {
    this.#tokens = Math.min(capacity, this.#tokens + 1);
  }
}

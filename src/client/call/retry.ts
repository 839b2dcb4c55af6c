import type { Outcome } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/call.ts';
import {
  APIError,
  ResponseValidationError,
  ConcurrencyLimitError,
} from '../../errors/responses.ts';
import { outcomeOf, verdictOf } from '../../paid/verdict.ts';
import { codeIs } from '../../wire/codes.ts';
import type { Safety } from '../../wire/endpoints/endpoint.ts';

// The whole retry decision. What happens to a request depends on its safety:
//
// failure of an attempt                               outcome       `safe`, `keyed`  `once`, such as a paid chat
// --------------------------------------------------  ------------  ---------------  ---------------------------
// connection refused, host not found                  not-sent      retry            retry
// response lost or truncated, or timeout              unknown       retry            final
// 408, 5xx except 501, 503 and 505                    unknown       retry            final
// error that reports a charge                         unknown       retry            final
// code that leaves the outcome open                   unknown       retry            final
// 409 and 503 whose body could not be read            unknown       retry            final
// other 429 and 503                                   rejected      retry            retry
// other statuses                                      rejected      final            final
//
// These are final in any case: redirects, 501, 505, permanent codes, aborts, errors of a hook, invalid
// options, and a successful response whose body is too large or invalid. A successful response counts as truncated if
// its body is empty or the beginning of JSON, unless its headers name a task, which a retry could lose.
//
// `decideRetry` also ends a call whose `Retry-After` exceeds `maxRetryDelay`, that has used its `maxRetries`, or whose
// client has used up its retry budget. The last two do not apply to rejections for lack of a slot, if the client limits
// its concurrency.
//
// What follows from an error response, in this order. In brackets: a 502 to a paid chat.
//
// 1. A charge in its headers is recorded: `recordCharge` in call.ts. [none]
// 2. `verdictOf` in paid/verdict.ts decides what the response says about money. The error keeps it. [unknown]
// 3. `CallErrors` in errors.ts creates the error. `messageParts` in compose-error.ts words what it says about charges.
//    [ServerError: "… The request may have been charged; sending it again may charge you again."]
// 4. `decideRetry` in this file decides about another attempt. A `keyed` request is sent again with the same key and
//    the same bytes. [no attempt]
// 5. `Entry.leave` in paid/books.ts decides what still counts toward the budget. [what was reserved]
// 6. `fallbackReason` in fallback.ts decides about another model, if the call names some. [no model]

/** What has happened in a call, as far as the next retry depends on it. */
interface RetryFacts {
  /** Number of retries, without those after a rejection for lack of a slot. */
  readonly retries: number;
  /** Number of retries after a rejection for lack of a slot. */
  readonly slotRejections: number;
}

/** What may be retried, and how often. */
export interface RetryPolicy {
  readonly safety: Safety;
  /** Whether the call waits for a slot, so that it can also do so after a rejection for lack of one. */
  readonly waitsForSlot: boolean;
  readonly maxRetries: number;
  /** The longest delay, in ms. A longer `Retry-After` fails the call immediately. */
  readonly maxRetryDelay: number;
  /** Whether the client may still retry: see `RetryBudget`. */
  readonly hasRetryBudget: boolean;
  readonly random: () => number;
}

/** A retry that is due in `delayMs`. */
export interface Retry {
  readonly failure: Failure;
  readonly delayMs: number;
  /** The rejection for lack of a slot after which the call waits for one. Such a retry does not count. */
  readonly slotRejection?: ConcurrencyLimitError | undefined;
}

/** Decides whether and when a failed call is retried; undefined if its error is final. */
export function decideRetry(
  error: unknown,
  { retries, slotRejections }: RetryFacts,
  policy: RetryPolicy,
): Retry | undefined {
  const { safety, waitsForSlot, maxRetries, maxRetryDelay, hasRetryBudget } = policy;
  const failure = classifyFailure(error);
  if (failure === undefined || !isRetryable(failure, safety)) return undefined;
  const { retryAfterMs = 0 } = failure;
  if (retryAfterMs > maxRetryDelay) return undefined;
  // One that was charged is no rejection: it would be charged again and again until a slot is free.
  const isRejected = failure.outcome === 'rejected';
  if (waitsForSlot && isRejected && ConcurrencyLimitError.is(error)) {
    const delayMs = delayAfter(slotRejections, retryAfterMs, policy);
    const minDelayMs = slotRejections > 0 ? minQueueDelay : 0;
    return { failure, delayMs: Math.max(minDelayMs, delayMs), slotRejection: error };
  }
  if (retries >= maxRetries || !hasRetryBudget) return undefined;
  return { failure, delayMs: delayAfter(retries, retryAfterMs, policy) };
}

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

/**
 * Whether the same request with the same idempotency key can succeed later, so that a queue may send it again when the
 * client has given up.
 */
export function canSucceedLater(error: unknown): boolean {
  const failure = classifyFailure(error);
  return failure !== undefined && isRetryable(failure, 'keyed');
}

/** What an error reveals about the attempt; undefined for errors that are never retried, such as an abort. */
function classifyFailure(error: unknown): Failure | undefined {
  if (APIError.is(error)) {
    const { status, code, retryAfterMs, verdict = verdictOf(error.meta, error) } = error;
    return { status, code, retryAfterMs, outcome: outcomeOf(verdict) };
  }
  // Its outcome is that of the whole call, which leads to the same decision: a request that is sent `once` ends with the
  // first attempt that may have been charged, and earlier rejections count as `not-sent`.
  if (ConnectionError.is(error)) return { outcome: error.outcome };
  if (!ResponseValidationError.is(error)) return undefined;
  const { body, meta } = error;
  // Nothing reports that a connection was lost if the length of the body was not announced.
  const isTruncated = typeof body === 'string' && /^\s*([[{]|$)/.test(body) && !meta.taskId;
  return isTruncated ? { outcome: 'unknown' } : undefined;
}

/** Whether a failure may be retried, given the request's safety. */
export function isRetryable({ status, code, outcome }: Failure, safety: Safety): boolean {
  const isRedirect = status !== undefined && status < 400;
  if (codeIs(code, 'permanent') || isRedirect || status === 501 || status === 505) return false;
  if (outcome === 'unknown') return safety !== 'once';
  return outcome === 'not-sent' || status === 429 || status === 503;
}

/** Minimum delay before a call requests a slot again after repeated rejections, in ms. */
const minQueueDelay = 100;

/** The delay after a number of earlier retries: at least what the service has requested. */
function delayAfter(
  attempts: number,
  retryAfterMs: number,
  { maxRetryDelay, random }: Pick<RetryPolicy, 'maxRetryDelay' | 'random'>,
): number {
  return Math.max(retryAfterMs, Math.min(maxRetryDelay, backoff(attempts, random)));
}

/** Full jitter: a random part of a limit that doubles from 500 ms to 8 s. `attempt` counts from 0. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(8_000, 500 * 2 ** attempt);
}

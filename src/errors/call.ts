import type { ResponseMeta } from '../wire/types/meta.ts';
import type { OpenRow } from '../wire/types/tasks/task-handle.ts';
import { isRecord, textOf } from '../wire/types/type-guards.ts';
import { PolygateError } from './base.ts';
import type { ErrorDetails, ErrorReason } from './base.ts';

/** No complete response was received. `outcome` says whether the request may have been charged. */
export class ConnectionError extends PolygateError {
  static override readonly className: string = 'ConnectionError';
  static override readonly reason: ErrorReason = 'lost';

  /**
   * `not-sent`: the last attempt never reached the service, and the service rejected all earlier ones that did, so
   * nothing was charged. `unknown`: the request may have been charged.
   */
  declare readonly outcome: 'not-sent' | 'unknown';

  constructor(message: string, { outcome, ...details }: ErrorDetails = {}) {
    const isUncharged = outcome === 'not-sent' || outcome === 'rejected';
    super(message, { ...details, outcome: isUncharged ? 'not-sent' : 'unknown' });
  }
}

/** No complete response arrived within `timeout` (one attempt) or `totalTimeout` (the whole call). */
export class RequestTimeoutError extends ConnectionError {
  static override readonly className: string = 'RequestTimeoutError';
  static override readonly reason: ErrorReason = 'timeout';
}

/**
 * The caller's signal aborted the call; `cause` is `signal.reason`. A task that was already submitted is not canceled
 * and keeps running.
 */
export class AbortedError extends PolygateError {
  static override readonly className: string = 'AbortedError';
  static override readonly reason: ErrorReason = 'aborted';

  /**
   * Only from a batch or a recovery: the rows that were read and have no result. Rows that had finished were yielded
   * before this error.
   */
  declare readonly rows?: readonly OpenRow[];
}

/** The error for a signal that aborted; `cause` is the signal's reason. */
export function abortedError(
  cause: unknown,
  details: ErrorDetails = {},
  message = 'Aborted by the caller.',
): AbortedError {
  return new AbortedError(message, { ...details, cause });
}

/** The errors of work that sends nothing. */
export const notSent = {
  aborted: (reason: unknown) => abortedError(reason, { outcome: 'not-sent' }),
};

/**
 * A hook threw an error, which is the `cause`, or returned a response whose body has already been
 * read. The call ended without a retry.
 * If a `beforeRequest` hook failed, `outcome` is `not-sent`, unless an earlier attempt of the call may have been charged.
 * If an `afterResponse` hook failed, the service had already responded: see `meta` and `task`.
 */
export class HookError extends PolygateError {
  static override readonly className: string = 'HookError';
  static override readonly reason: ErrorReason = 'hook';

  /**
   * Metadata of the response that an `afterResponse` hook received, including the charge and the task id if the service
   * sent them.
   */
  declare readonly meta?: ResponseMeta;
}

/**
 * The request would exceed `budget.maxUsd`, the budget has been used up, or the budget is strict and the price unknown. A
 * chat is also refused if it would exceed the budget by costing as much as the most expensive one so far.
 * The request was not sent and nothing was charged.
 *
 * A batch or a recovery throws it when its `maxUsd` or the budget of the client has paused it, after all results that it
 * has.
 */
export class BudgetExceededError extends PolygateError {
  static override readonly className: string = 'BudgetExceededError';
  static override readonly reason: ErrorReason = 'budget';
  /** Amount spent so far, in USD. */
  declare readonly spentUsd: number;
  /** The configured budget, in USD. */
  declare readonly maxUsd: number;
  /** Only from a batch or a recovery: number of rows that were yielded as `succeeded` or `failed`. */
  declare readonly rowsDone?: number;
  /**
   * Only from a batch or a recovery: number of rows that were not yielded, because they were not sent, or because this run
   * did not reach them. They stay open. If the inputs are not an array, it counts only the rows that the batch had already
   * read.
   */
  declare readonly rowsOpen?: number;
}

/**
 * The error with which `gateway.fetch`, or the body of its response, rejects. Libraries recognize aborts and timeouts by the
 * name of the error, so an `AbortedError` takes the name of the signal's reason: `AbortError` or `TimeoutError`. A reason
 * that is the caller's own error is rejected as it is.
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

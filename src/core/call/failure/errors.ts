import { AbortedError } from '../../../errors/aborted.ts';
import type { APIError } from '../../../errors/api.ts';
import type { ErrorDetails, PolygateError } from '../../../errors/base.ts';
import { BudgetExceededError } from '../../../errors/budget.ts';
import { ConfigurationError } from '../../../errors/configuration.ts';
import { ConnectionError, RequestTimeoutError } from '../../../errors/connection.ts';
import { HookError } from '../../../errors/hook.ts';
import { ResponseValidationError } from '../../../errors/response-validation.ts';
import {
  ConcurrencyLimitError,
  concurrencyLimitCode,
  statusErrorClass,
} from '../../../errors/status.ts';
import { StreamError, StreamIdleTimeoutError } from '../../../errors/stream.ts';
import type { ChatCompletion } from '../../../types/chat/completion.ts';
import type { ResponseMeta } from '../../../types/meta.ts';
import type { SchemaIssue } from '../../../types/standard-schema.ts';
import type { Budget } from '../../config/options.ts';
import { noReason, parseErrorBody } from '../../http/error-body.ts';
import type { ErrorBody } from '../../http/error-body.ts';
import { parseJson, singleLine, stringify } from '../../http/json.ts';
import { networkOutcome } from '../../http/network-error.ts';
import { BodyTooLargeError } from '../../http/response-body.ts';
import { emptyMeta } from '../../http/response-meta.ts';
import { budgetProblem } from '../../limits/budget.ts';
import type { Commitments } from '../../limits/budget.ts';
import type { ApiCall } from '../api-call.ts';
import type { CallHistory } from '../attempt/history.ts';
import { composeError, outcomeAfter, redact, safeCause } from './compose-error.ts';
import type { Addition, ErrorSource } from './compose-error.ts';
import { timeoutSummary } from './error-message.ts';
import { outcomeOfError, outcomeOfUnread } from './outcome.ts';

/** Why a body is invalid, and what it reveals nevertheless. */
export interface InvalidResult extends Addition {
  readonly issues: readonly SchemaIssue[];
}

/** The errors of one call: one method per kind of failure. */
export class CallErrors {
  readonly #source: ErrorSource;

  constructor(call: ApiCall, history: CallHistory, idempotencyKey?: string) {
    this.#source = { call, history, idempotencyKey };
  }

  /** Removes the credentials that are sent from every message, in case the service repeats them. */
  hideCredentials(authorization: string | undefined): void {
    this.#source.authorization = authorization;
  }

  /** Adds what a stream has accumulated so far to every error. */
  includePartial(read: () => ChatCompletion | undefined): void {
    this.#source.readPartial = read;
  }

  protected get partial(): ChatCompletion | undefined {
    return this.#source.readPartial?.();
  }

  /** The service responded with an error status. `text` is the body; undefined if it could not be read. */
  apiError(
    meta: ResponseMeta,
    text: string | undefined,
    retryAfterMs: number | undefined,
  ): APIError {
    const { status } = meta;
    // Browsers hide everything about a redirect and report its status as 0.
    const isRedirect = status === 0 || (status > 299 && status < 400);
    const fallback = isRedirect ? 'redirects are not followed; check baseURL' : noReason;
    const { message = fallback, ...details }: Partial<ErrorBody> =
      text === undefined ? {} : parseErrorBody(redact(this.#source, text));
    const { code, body } = details;
    return composeError(
      this.#source,
      statusErrorClass(status, code),
      `${code ? `${status} ${code}` : status}: ${message}`,
      outcomeOfError({ meta, code, body }),
      { ...details, meta, retryAfterMs },
      status === 401 ? { advice: 'Check the API key.' } : {},
    );
  }

  /** The request could not be sent, or failed: because of the API key, a hook or the connection. */
  sendError(error: unknown): PolygateError {
    const { meta, interruptedOutcome } = this.#source.history;
    const outcome = meta ? outcomeOfUnread(meta) : interruptedOutcome;
    // Including that of a `fetch` from another build, such as a recording, which knows that it has sent nothing.
    if (ConfigurationError.is(error)) {
      const { message, cause, outcome: known = outcome } = error;
      return composeError(this.#source, ConfigurationError, message, known, { cause });
    }
    if (HookError.is(error)) {
      return composeError(this.#source, HookError, error.message, outcome, { cause: error.cause });
    }
    return this.connectionError(error);
  }

  /** `fetch` failed, or the connection was lost while the body was read. */
  connectionError(error: unknown, outcome = networkOutcome(error)): ConnectionError {
    const summary =
      outcome === 'unknown' ? 'The connection was lost' : 'Could not connect to the service';
    const cause = safeCause(this.#source, error);
    return composeError(this.#source, ConnectionError, `${summary}: ${cause.message}`, outcome, {
      cause,
    });
  }

  /** The time limit of an option was exceeded by an attempt, or while the call waited for a concurrency slot. */
  timeout(ms: number, option = 'timeout'): RequestTimeoutError {
    const { isQueued, attempts, interruptedOutcome } = this.#source.history;
    const wasSent = attempts > 0 || interruptedOutcome !== 'not-sent';
    const stage = isQueued ? 'queued' : wasSent ? 'sent' : 'unsent';
    const summary = timeoutSummary(stage, ms, option);
    const cause = isQueued ? this.queueTimeout(ms, option) : undefined;
    return composeError(this.#source, RequestTimeoutError, summary, interruptedOutcome, { cause });
  }

  /** The caller aborted, with a signal or `stream.abort()`. */
  aborted(cause: unknown): AbortedError {
    const { interruptedOutcome } = this.#source.history;
    // Always reported, even if the call has no effect.
    const outcome = outcomeAfter(this.#source, interruptedOutcome);
    return composeError(this.#source, AbortedError, 'Aborted by the caller', interruptedOutcome, {
      cause,
      outcome,
    });
  }

  /** A successful response has an invalid body. */
  invalidResponse(
    meta: ResponseMeta,
    problem: string,
    body?: unknown,
    { issues, ...addition }: Partial<InvalidResult> = {},
  ): ResponseValidationError {
    const text = stringify(body);
    const shown = redact(this.#source, text);
    const line = singleLine(shown);
    const summary = `Invalid response: ${singleLine(problem)}.${line && ` Body: ${line}`}`;
    const details = { meta, body: shown === text ? body : (parseJson(shown) ?? shown), issues };
    const advice = 'To check the service, run npx polygate doctor.';
    return composeError(this.#source, ResponseValidationError, summary, 'unknown', details, {
      advice,
      ...addition,
    });
  }

  /** A body is larger than `limit`, or the connection was lost while it was read. */
  unreadableBody(meta: ResponseMeta, error: unknown, limit: number): PolygateError {
    return error instanceof BodyTooLargeError
      ? this.invalidResponse(meta, `the body is larger than maxResponseBytes (${limit})`)
      : this.connectionError(error, 'unknown');
  }

  /**
   * No concurrency slot became free in time. If the service rejected the call for lack of one, the error has the metadata of
   * that response, and is caused by it unless another attempt may have been charged.
   */
  queueTimeout(ms: number, option = 'maxQueueTime'): ConcurrencyLimitError {
    const summary = `No concurrency slot became free within ${ms} ms (${option}). Send fewer requests at a time, use a batch, or increase ${option}`;
    const { outcome, slotRejection } = this.#source.history.earlier;
    const { meta = emptyMeta(429) } = slotRejection ?? {};
    // Its outcome is that nothing was charged.
    const cause = outcome === 'unknown' ? undefined : slotRejection;
    const { type, param, body, retryAfterMs } = cause ?? {};
    const details = { code: concurrencyLimitCode, meta, type, param, body, retryAfterMs, cause };
    return composeError(
      this.#source,
      ConcurrencyLimitError,
      summary,
      cause?.outcome ?? 'not-sent',
      details,
    );
  }

  /** The budget does not cover the request. */
  budgetExceeded(
    budget: Budget,
    commitments: Commitments,
    price: number | undefined,
  ): BudgetExceededError {
    const whenKnown = this.#source.call.estimateUsd
      ? 'after models.retrieve or models.list'
      : 'when it is complete';
    const summary = budgetProblem(budget, commitments, price, whenKnown);
    const details = { spentUsd: commitments.spent, maxUsd: budget.maxUsd };
    return composeError(this.#source, BudgetExceededError, summary, 'not-sent', details);
  }

  /**
   * A body ended too early. `summary` names the body. The reason is the message of `error`, or `problem` if the body ended
   * without an error.
   */
  bodyInterrupted<Interrupted extends PolygateError>(
    Class: new (message: string, details: ErrorDetails) => Interrupted,
    summary: string,
    problem: string,
    error?: unknown,
  ): Interrupted {
    const cause = error === undefined ? undefined : safeCause(this.#source, error);
    return composeError(
      this.#source,
      Class,
      `${summary}: ${cause?.message ?? problem}`,
      'unknown',
      {
        cause,
      },
    );
  }

  /** A stream sent nothing for too long. */
  streamIdle(ms: number): StreamIdleTimeoutError {
    const summary = `No data received for ${ms} ms (streamIdleTimeout)`;
    return composeError(this.#source, StreamIdleTimeoutError, summary, 'unknown', {});
  }

  /** A stream contains invalid data. */
  invalidStream(problem: string): StreamError {
    return composeError(this.#source, StreamError, `Invalid stream: ${problem}`, 'unknown', {});
  }

  /** A stream contains an error object instead of a chunk. */
  streamErrorEvent(data: string): StreamError {
    const { message = noReason, code, type } = parseErrorBody(redact(this.#source, data));
    const summary = `The stream contains an error: ${code ? `${code}: ` : ''}${message}`;
    return composeError(this.#source, StreamError, summary, 'unknown', { code, type });
  }
}

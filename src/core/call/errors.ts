import { AbortedError } from '../../errors/aborted.ts';
import type { APIError } from '../../errors/api.ts';
import type { ErrorDetails, Outcome } from '../../errors/base.ts';
import { BudgetExceededError } from '../../errors/budget.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { ConnectionError, RequestTimeoutError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import { ConcurrencyLimitError } from '../../errors/status.ts';
import { StreamError, StreamIdleTimeoutError, StreamTruncatedError } from '../../errors/stream.ts';
import type { ChatCompletion } from '../../schemas/chat-completion.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { SchemaIssue } from '../../schemas/standard-schema.ts';
import type { Clock } from '../config/clock.ts';
import type { Budget } from '../config/options.ts';
import { parseErrorBody } from '../http/error-body.ts';
import { parseJson, singleLine, stringify } from '../http/json.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { networkErrorMessage, networkOutcome } from '../http/transport.ts';
import type { Commitments } from '../limits/budget.ts';
import { roundUsd } from '../limits/round-usd.ts';
import type { ApiCall } from './api-call.ts';
import { concurrencyLimitCode, outcomeOf } from './retry.ts';
import { statusErrorClass } from './status-error.ts';

const noReason = 'no reason given';

/** Creates the errors of one call. Every failure becomes an error here: each kind has one method. */
export class CallErrors {
  /** Whether the current attempt was handed to `fetch`. */
  requestSent = false;
  /** Metadata of the current response. Errors from then on carry it, and the task that it names. */
  meta: ResponseMeta | undefined;
  /** What a stream has accumulated so far. */
  partial: (() => ChatCompletion | undefined) | undefined;
  /** The API key that was sent. It is removed from every message, in case the service repeats it. */
  apiKey = '';
  readonly #call: ApiCall;
  readonly #idempotencyKey: string | undefined;
  /** What earlier attempts leave open: once unknown, the outcome of the call stays unknown. */
  #previousOutcome: Outcome = 'not-sent';

  constructor(call: ApiCall, idempotencyKey?: string) {
    this.#call = call;
    this.#idempotencyKey = idempotencyKey;
  }

  /** Prepares for the next attempt after one that ended with `outcome`. */
  startRetry(outcome: Outcome): void {
    if (this.#previousOutcome !== 'unknown') this.#previousOutcome = outcome;
    this.requestSent = false;
    this.meta = undefined;
  }

  /** The service responded with an error status. */
  apiError(meta: ResponseMeta, text: string, retryAfterMs: number | undefined): APIError {
    const { status } = meta;
    // Browsers hide everything about a redirect and report its status as 0.
    const isRedirect = status === 0 || (status > 299 && status < 400);
    const fallback = isRedirect ? 'redirects are not followed; check baseURL' : noReason;
    const { message = fallback, ...details } = parseErrorBody(this.#redact(text));
    const { code } = details;
    return this.#create(
      statusErrorClass(status, code),
      `${code ? `${status} ${code}` : status}: ${message}`,
      this.#relevantOutcome(outcomeOf(status, code)),
      { ...details, meta, retryAfterMs },
    );
  }

  /** There is no valid API key for this attempt; an earlier one may still have been carried out. */
  credentialsError(error: unknown): unknown {
    if (!(error instanceof ConfigurationError)) return error;
    return this.#create(ConfigurationError, error.message, 'not-sent', { cause: error.cause });
  }

  /** `fetch` failed: there was no response, or its body broke off. */
  connectionError(error: unknown): ConnectionError {
    const outcome = networkOutcome(error);
    const what =
      outcome === 'unknown' ? 'The connection was lost' : 'Could not connect to the service';
    const cause = this.#safeCause(error);
    return this.#create(ConnectionError, `${what}: ${cause.message}`, outcome, { cause });
  }

  /** The time limit of one attempt, with the errors for its end. */
  timeLimit(clock: Clock, signal: AbortSignal | undefined, ms: number) {
    return {
      clock,
      signal,
      ms,
      onAbort: (reason: unknown) => this.aborted(reason),
      onTimeout: (): Error =>
        this.#create(
          RequestTimeoutError,
          `No complete response within ${ms} ms (timeout)`,
          this.#interruptedOutcome,
          {},
        ),
    };
  }

  /** The caller's signal aborted. */
  aborted(cause: unknown): AbortedError {
    const outcome = this.#interruptedOutcome;
    const { message, details } = this.#describe('Aborted by the caller', outcome);
    return abortedError(cause, details, message);
  }

  /** A successful response has an invalid body. */
  invalidResponse(
    meta: ResponseMeta,
    problem: string,
    body?: unknown,
    issues?: readonly SchemaIssue[],
    taskId?: string,
  ): ResponseValidationError {
    const text = stringify(body);
    const shown = this.#redact(text);
    const what = `Invalid response: ${singleLine(problem)}. Body: ${singleLine(shown) || '(empty)'}`;
    const details = { meta, body: shown === text ? body : (parseJson(shown) ?? shown), issues };
    const outcome = this.#relevantOutcome('unknown');
    return this.#create(ResponseValidationError, what, outcome, details, taskId);
  }

  /** No concurrency slot became free in time. */
  queueTimeout(ms: number): ConcurrencyLimitError {
    const what = `No concurrency slot became free within ${ms} ms (maxQueueTime)`;
    return this.#create(ConcurrencyLimitError, what, 'not-sent', {
      code: concurrencyLimitCode,
      meta: emptyMeta(429),
    });
  }

  /** The budget does not cover the request. */
  budgetExceeded(
    { maxUsd }: Budget,
    { spent, reserved }: Commitments,
    price: number | undefined,
  ): BudgetExceededError {
    const cost =
      price === undefined
        ? 'the price of this request is unknown (models.retrieve loads it)'
        : `this request costs ${price} USD`;
    const what = `Budget exceeded: ${spent} of ${maxUsd} USD spent, ${roundUsd(reserved)} USD reserved, and ${cost}`;
    return this.#create(BudgetExceededError, what, 'not-sent', { spentUsd: spent, maxUsd });
  }

  /** A stream ended before the completion did. */
  streamTruncated(error?: unknown): StreamTruncatedError {
    const cause = error === undefined ? undefined : this.#safeCause(error);
    const what = `The stream was truncated: ${cause?.message ?? 'it ended without [DONE]'}`;
    return this.#create(StreamTruncatedError, what, 'unknown', { cause });
  }

  /** A stream sent nothing for too long. */
  streamIdle(ms: number): StreamIdleTimeoutError {
    const what = `No data received for ${ms} ms (streamIdleTimeout)`;
    return this.#create(StreamIdleTimeoutError, what, 'unknown', {});
  }

  /** A stream contains something that is not a chunk. */
  invalidStream(reason: string): StreamError {
    return this.#create(StreamError, `Invalid stream: ${reason}`, 'unknown', {});
  }

  /** A stream contains an error object in place of a chunk. */
  streamErrorEvent(data: string): StreamError {
    const { message = noReason, code, type } = parseErrorBody(this.#redact(data));
    const what = `The service reported an error in the stream: ${code ? `${code}: ` : ''}${message}`;
    return this.#create(StreamError, what, 'unknown', { code, type });
  }

  /** The message of a `fetch` error, without the error itself, which may contain the request and its headers. */
  #safeCause(error: unknown): Error {
    const cause = new Error(this.#redact(networkErrorMessage(error)));
    cause.name = 'NetworkError';
    return cause;
  }

  /** Removes the API key from a text. A key of a few letters is no secret, and would remove parts of words. */
  #redact(text: string): string {
    return this.apiKey.length < 8 ? text : text.replaceAll(this.apiKey, '(the API key)');
  }

  /** Whether the call costs money or creates something, so that its outcome matters. */
  get #hasConsequences(): boolean {
    return this.#call.paid === true || this.#call.safety === 'keyed';
  }

  /** The outcome of an attempt that is interrupted now. */
  get #interruptedOutcome(): Outcome {
    return this.requestSent ? 'unknown' : 'not-sent';
  }

  #relevantOutcome(outcome: Outcome): Outcome | undefined {
    return outcome === 'rejected' || this.#hasConsequences ? outcome : undefined;
  }

  /** The outcome of all attempts so far, given that of the last one. */
  #callOutcome(attempt: Outcome | undefined): Outcome | undefined {
    const previous = this.#previousOutcome;
    const isWorse = previous === 'unknown' || (previous === 'rejected' && attempt === 'not-sent');
    return this.#hasConsequences && isWorse ? previous : attempt;
  }

  /** The message (what happened, whether money may have been spent, what to do next) and the common details. */
  #describe(what: string, attempt: Outcome | undefined, taskId?: string) {
    const { paid, method, template, findTask } = this.#call;
    const { meta } = this;
    const outcome = this.#callOutcome(attempt);
    const task = findTask?.(meta, taskId);
    const idempotencyKey = this.#idempotencyKey ?? task?.idempotencyKey;
    const parts = [
      this.#redact(/[.!?…]$/.test(what) ? what : `${what}.`),
      task &&
        attempt !== 'rejected' &&
        'The task may still be running: wait for it with error.task.wait().',
      meta?.status === 401 && 'Check the API key.',
      !task && paid && outcome && advice(outcome, idempotencyKey),
      `[${method} ${template}${meta?.requestId ? `, request ${meta.requestId}` : ''}]`,
    ];
    return {
      message: parts.filter(Boolean).join(' '),
      details: { meta, outcome, idempotencyKey, task, partial: this.partial?.() },
    };
  }

  #create<Created, Details extends object>(
    Class: new (message: string, details: Details & ErrorDetails) => Created,
    what: string,
    attempt: Outcome | undefined,
    details: Details,
    taskId?: string,
  ): Created {
    const common = this.#describe(what, attempt, taskId);
    return new Class(common.message, { ...common.details, ...details });
  }
}

/** Whether money may have been spent, and what to do next. */
function advice(outcome: Outcome, idempotencyKey: string | undefined): string {
  if (outcome !== 'unknown') return 'Nothing was charged.';
  return idempotencyKey === undefined
    ? 'The request may have been charged; sending it again may be charged again.'
    : 'The request may have been charged; retry with error.idempotencyKey to avoid a second charge.';
}

/** The error for a signal that aborted; `cause` is the signal's reason. */
export function abortedError(
  cause: unknown,
  details: ErrorDetails = {},
  message = 'Aborted by the caller.',
): AbortedError {
  return new AbortedError(message, { ...details, cause });
}

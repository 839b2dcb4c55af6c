import { AbortedError } from '../../errors/aborted.ts';
import { APIError } from '../../errors/api.ts';
import {
  AuthenticationError,
  BadRequestError,
  ConcurrencyLimitError,
  ConflictError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  ServiceUnavailableError,
  UnprocessableError,
} from '../../errors/status.ts';
import type { ErrorDetails, Outcome } from '../../errors/base.ts';
import { BudgetExceededError } from '../../errors/budget.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import { ConnectionError, RequestTimeoutError } from '../../errors/connection.ts';
import { ResponseValidationError } from '../../errors/response-validation.ts';
import { StreamIdleTimeoutError, StreamTruncatedError, StreamError } from '../../errors/stream.ts';
import type { ChatCompletion } from '../../schemas/chat-completion.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { SchemaIssue } from '../../schemas/standard-schema.ts';
import type { Budget, Commitments } from '../limits/budget.ts';
import type { Clock } from '../config/clock.ts';
import { oneLine, parseJson, parseErrorBody, stringify } from '../http/error-body.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { roundUsd } from '../limits/round-usd.ts';
import { networkOutcome, networkErrorMessage } from '../http/network-error.ts';
import type { ApiCall } from './api-call.ts';
import { concurrencyLimitCode, outcomeOf } from './retry.ts';

/** The one place where failures of a call become errors: each kind of failure has one method. */
export class CallErrors {
  /** What earlier attempts leave open: once unknown, the outcome of the call stays unknown. */
  previousOutcome: Outcome = 'not-sent';
  /** Whether the attempt under way has left. */
  requestSent = false;
  /** Headers of the answer, once they are here: errors from then on carry them, and the task that they name. */
  meta: ResponseMeta | undefined;
  /** What a stream has brought so far. */
  partial: (() => ChatCompletion | undefined) | undefined;
  /** The API key that was sent: whoever repeats it, no error does. */
  apiKey = '';
  readonly #call: ApiCall;
  readonly #key: string | undefined;

  constructor(call: ApiCall, idempotencyKey?: string) {
    this.#call = call;
    this.#key = idempotencyKey;
  }

  /** The service answered with an error status. */
  apiError(meta: ResponseMeta, text: string, retryAfterMs: number | undefined): APIError {
    const { status } = meta;
    // A browser shows of a redirect nothing, not even its status.
    const redirect = status === 0 || (status > 299 && status < 400);
    const { message = redirect ? 'redirects are not followed; check baseURL' : silence, ...said } =
      parseErrorBody(this.#hide(text));
    const { code } = said;
    const what = `${code ? `${status} ${code}` : status}: ${message}`;
    const outcome = this.#paidOutcome(outcomeOf(status, code));
    return this.#make(errorClass(status, code), what, outcome, { ...said, meta, retryAfterMs });
  }

  /** The attempt cannot be made, for there is no key for it; an earlier one may have been carried out. */
  credentialsError(error: unknown): unknown {
    if (!(error instanceof ConfigurationError)) return error;
    return this.#make(ConfigurationError, error.message, 'not-sent', { cause: error.cause });
  }

  /** `fetch` failed: no answer, or one that broke off. */
  connectionError(error: unknown): ConnectionError {
    const outcome = networkOutcome(error);
    const what = outcome === 'unknown' ? 'The connection broke' : 'The service cannot be reached';
    const cause = this.#causeOf(error);
    return this.#make(ConnectionError, `${what}: ${cause.message}`, outcome, { cause });
  }

  /** The limits of one attempt, with these failures for its ends. */
  timeLimit(clock: Clock, signal: AbortSignal | undefined, ms: number) {
    return {
      clock,
      signal,
      ms,
      onAbort: (reason: unknown) => this.aborted(reason),
      onTimeout: (): Error =>
        this.#make(RequestTimeoutError, `No whole answer within ${ms} ms`, this.#gone, {}),
    };
  }

  /** The caller's signal ended the call. */
  aborted(cause: unknown): AbortedError {
    return this.#make(AbortedError, 'Aborted by the caller', this.#gone, { cause });
  }

  /** A 2xx whose body is not what it must be. */
  invalidResponse(
    meta: ResponseMeta,
    problem: string,
    body?: unknown,
    issues?: readonly SchemaIssue[],
  ): ResponseValidationError {
    const text = stringify(body);
    const shown = this.#hide(text);
    const what = `Unexpected answer: ${oneLine(problem)}. Body: ${oneLine(shown) || '(empty)'}`;
    const details = { meta, body: shown === text ? body : parseJson(shown), issues };
    return this.#make(ResponseValidationError, what, this.#paidOutcome('unknown'), details);
  }

  /** No concurrency slot came free in time. */
  queueTimeout(ms: number): ConcurrencyLimitError {
    const what = `No concurrency slot came free within ${ms} ms (maxQueueTime)`;
    return this.#make(ConcurrencyLimitError, what, 'not-sent', {
      code: concurrencyLimitCode,
      meta: emptyMeta(429),
    });
  }

  /** The budget does not allow the request. */
  budgetExceeded(
    { maxUsd }: Budget,
    { spent, reserved }: Commitments,
    price: number | undefined,
  ): BudgetExceededError {
    const costs = price === undefined ? 'an unknown sum (models.retrieve tells)' : `${price} USD`;
    const what = `Over the budget: ${spent} of ${maxUsd} USD spent, ${roundUsd(reserved)} reserved, and this costs ${costs}`;
    return this.#make(BudgetExceededError, what, 'not-sent', { spentUsd: spent, maxUsd });
  }

  /** A stream's bytes ended before the answer did. */
  streamTruncated(error?: unknown): StreamTruncatedError {
    const cause = error === undefined ? undefined : this.#causeOf(error);
    const what = `The stream was cut off: ${cause?.message ?? 'no [DONE] came'}`;
    return this.#make(StreamTruncatedError, what, 'unknown', { cause });
  }

  /** A stream was silent for too long. */
  streamIdle(ms: number): StreamIdleTimeoutError {
    const what = `The stream was silent for ${ms} ms (streamIdleTimeout)`;
    return this.#make(StreamIdleTimeoutError, what, 'unknown', {});
  }

  /** A stream brought something that is no chunk. */
  invalidStream(why: string): StreamError {
    return this.#make(StreamError, `The stream is broken: ${why}`, 'unknown', {});
  }

  /** A stream brought an error object in place of a chunk. */
  streamErrorEvent(data: string): StreamError {
    const { message = silence, code, type } = parseErrorBody(this.#hide(data));
    const what = `The service ended the stream: ${code ? `${code}: ` : ''}${message}`;
    return this.#make(StreamError, what, 'unknown', { code, type });
  }

  /** An error of `fetch` without what it may hold of the request. */
  #causeOf(error: unknown): Error {
    const cause = new Error(this.#hide(networkErrorMessage(error)));
    cause.name = 'NetworkError';
    return cause;
  }

  /** A text without the key. A key of a few letters is no secret, and would leave holes in every text. */
  #hide(text: string): string {
    return this.apiKey.length < 8 ? text : text.replaceAll(this.apiKey, '(the API key)');
  }

  /** An attempt begins. */
  beginAttempt(): void {
    this.requestSent = false;
    this.meta = undefined;
  }

  /** Whether it matters if the request was carried out: it costs money, or makes something. */
  get #counts(): boolean {
    return this.#call.paid === true || this.#call.safety === 'keyed';
  }

  /** What leaving an attempt now means. */
  get #gone(): Outcome {
    return this.requestSent ? 'unknown' : 'not-sent';
  }

  /** An outcome, unless nobody can know it and it does not matter. */
  #paidOutcome(outcome: Outcome): Outcome | undefined {
    return outcome === 'rejected' || this.#counts ? outcome : undefined;
  }

  /** One line: what happened, whether money may have been spent, what to do next, and where it happened. */
  #make<Made, Details extends object>(
    Class: new (message: string, details: Details & ErrorDetails) => Made,
    what: string,
    attempt: Outcome | undefined,
    details: Details,
  ): Made {
    const { paid, method, template, findTask: taskOf } = this.#call;
    const { previousOutcome: earlier, meta } = this;
    const worse = earlier === 'unknown' || (earlier === 'rejected' && attempt === 'not-sent');
    const outcome = this.#counts && worse ? earlier : attempt;
    const task = taskOf?.(meta);
    const idempotencyKey = this.#key ?? task?.idempotencyKey;
    const parts = [
      this.#hide(/[.!?…]$/.test(what) ? what : `${what}.`),
      task && attempt !== 'rejected' && 'The task goes on: error.task waits for it again.',
      meta?.status === 401 && 'Check apiKey.',
      !task && paid && outcome && advice(outcome, idempotencyKey),
      `[${method} ${template}${meta?.requestId ? `, request ${meta.requestId}` : ''}]`,
    ];
    return new Class(parts.filter(Boolean).join(' '), {
      meta,
      ...details,
      outcome,
      idempotencyKey,
      task,
      partial: this.partial?.(),
    });
  }
}

const silence = 'no reason given';

function advice(outcome: Outcome, idempotencyKey: string | undefined): string {
  if (outcome !== 'unknown') return 'Nothing was charged.';
  return idempotencyKey === undefined
    ? 'It may have been charged; asking again may charge again.'
    : 'It may have been charged; ask again with error.idempotencyKey and it is not paid twice.';
}

type APIErrorClass = new (...args: ConstructorParameters<typeof APIError>) => APIError;

const byStatus: Readonly<Record<number, APIErrorClass>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
  503: ServiceUnavailableError,
};

/** The class of an error that the service answered with. */
export function errorClass(status: number, code: string | undefined): APIErrorClass {
  if (status === 429 && code === concurrencyLimitCode) return ConcurrencyLimitError;
  return byStatus[status] ?? (status >= 500 ? ServerError : APIError);
}

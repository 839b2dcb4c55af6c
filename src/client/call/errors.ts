import type { PolygateError } from '../../errors/base.ts';
import { ConfigurationError } from '../../errors/base.ts';
import {
  AbortedError,
  ConnectionError,
  RequestTimeoutError,
  BudgetExceededError,
  HookError,
} from '../../errors/call.ts';
import { StreamError } from '../../errors/chat.ts';
import type { APIError } from '../../errors/responses.ts';
import {
  ResponseValidationError,
  ConcurrencyLimitError,
  statusErrorClass,
} from '../../errors/responses.ts';
import { concurrencyLimitCode } from '../../paid/reason.ts';
import { combineOutcomes, outcomeOf, verdictOf } from '../../paid/verdict.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { SchemaIssue } from '../../wire/types/standard-schema.ts';
import {
  noReason,
  parseErrorBody,
  isRefused,
  networkAdvice,
  networkOutcome,
} from '../http/failure.ts';
import type { ErrorBody } from '../http/failure.ts';
import { parseJson, singleLine, stringify } from '../http/json.ts';
import { BodyTooLargeError } from '../http/response-body.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { composeError, redact, safeCause, timeoutSummary } from './compose-error.ts';
import type { Addition } from './compose-error.ts';
import { CallHistory } from './history.ts';

/** Why a body is invalid, and what it reveals nevertheless. */
export interface InvalidResult extends Addition {
  readonly issues: readonly SchemaIssue[];
}

/** The errors of one call, made from its history: one method per kind of failure. */
export class CallErrors extends CallHistory {
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
      text === undefined ? {} : parseErrorBody(redact(this, text));
    const { code } = details;
    const verdict = verdictOf(meta, details);
    const summary = `${code ? `${status} ${code}` : status}: ${message}`;
    const advice = status === 401 ? 'Check the API key.' : undefined;
    return composeError(
      this,
      statusErrorClass(status, code),
      { summary, advice },
      {
        ...details,
        outcome: outcomeOf(verdict),
        verdict,
        meta,
        retryAfterMs,
      },
    );
  }

  /** The request could not be sent, or failed: because of the API key, a hook or the connection. */
  sendError(error: unknown): PolygateError {
    const { verdict, interruptedOutcome } = this;
    const outcome = verdict ? outcomeOf(verdict) : interruptedOutcome;
    // Including that of a `fetch` from another build, such as a recording, which knows that it has sent nothing.
    const Class = [ConfigurationError, HookError].find((known) => known.is(error));
    if (Class?.is(error)) {
      const { message: summary, cause, reason, outcome: known = outcome } = error;
      return composeError(this, Class, { summary }, { outcome: known, cause, reason });
    }
    if (BudgetExceededError.is(error)) return error;
    return this.connectionError(error, verdict || this.isSent ? networkOutcome(error) : 'not-sent');
  }

  /** `fetch` failed, or the connection was lost while the body was read. */
  connectionError(error: unknown, outcome = networkOutcome(error)): ConnectionError {
    const problem =
      outcome === 'unknown' ? 'The connection was lost' : 'Could not connect to the service';
    const cause = safeCause(this, error);
    const message = { summary: `${problem}: ${cause.message}`, advice: networkAdvice(error) };
    return composeError(this, ConnectionError, message, {
      outcome,
      reason:
        outcome === 'unknown' ? 'lost' : isRefused(error) ? 'connection-refused' : 'unreachable',
      cause,
    });
  }

  /** The time limit of an option was exceeded by an attempt, or while the call waited for a concurrency slot. */
  timeout(ms: number, option = 'timeout'): RequestTimeoutError {
    const { isQueued, earlier, interruptedOutcome: outcome } = this;
    const wasSent = combineOutcomes(earlier.outcome, outcome) !== 'not-sent';
    const stage = isQueued ? 'queued' : wasSent ? 'sent' : 'unsent';
    const summary = timeoutSummary(stage, ms, option);
    const cause = isQueued ? this.queueTimeout(ms, option) : undefined;
    return composeError(this, RequestTimeoutError, { summary }, { outcome, cause });
  }

  /** The caller aborted, with a signal or `stream.abort()`. */
  aborted(cause: unknown): AbortedError {
    const details = { outcome: this.interruptedOutcome, cause };
    return composeError(this, AbortedError, { summary: 'Aborted by the caller' }, details);
  }

  /** A successful response has an invalid body. */
  invalidResponse(
    meta: ResponseMeta,
    problem: string,
    body?: unknown,
    { issues, ...addition }: Partial<InvalidResult> = {},
  ): ResponseValidationError {
    const text = stringify(body);
    const shown = redact(this, text);
    const line = singleLine(shown);
    const summary = `Invalid response: ${singleLine(redact(this, problem))}.${line && ` Body: ${line}`}`;
    const shownBody = shown === text ? body : (parseJson(shown) ?? shown);
    const details = { outcome: 'unknown', meta, body: shownBody, issues } as const;
    const advice = 'To check the service, run npx polygate doctor.';
    const message = { summary, advice, ...addition };
    return composeError(this, ResponseValidationError, message, details);
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
    const summary = timeoutSummary('queued', ms, option);
    const { outcome, slotRejection } = this.earlier;
    const { meta = emptyMeta(429) } = slotRejection ?? {};
    // Its outcome is that nothing was charged.
    const cause = outcome === 'unknown' ? undefined : slotRejection;
    const { type, param, body, retryAfterMs } = cause ?? {};
    return composeError(
      this,
      ConcurrencyLimitError,
      { summary },
      {
        outcome: cause?.outcome ?? 'not-sent',
        code: concurrencyLimitCode,
        meta,
        type,
        param,
        body,
        retryAfterMs,
        cause,
      },
    );
  }

  /** A body with a success status contains an error. `where` says which body. */
  reportedError(where: string, data: string): StreamError {
    const { message = noReason, code, type } = parseErrorBody(redact(this, data));
    const summary = `${where}: ${code ? `${code}: ` : ''}${message}`;
    return composeError(
      this,
      StreamError,
      { summary },
      {
        outcome: 'unknown',
        reason: 'service',
        code,
        type,
      },
    );
  }

  /** A stream contains invalid data. */
  invalidStream(problem: string): StreamError {
    const summary = `Invalid stream: ${problem}`;
    return composeError(this, StreamError, { summary }, { outcome: 'unknown' });
  }

  /** A stream contains an error object instead of a chunk. */
  streamErrorEvent(data: string): StreamError {
    return this.reportedError('The stream contains an error', data);
  }
}

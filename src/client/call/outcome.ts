import type { Outcome } from '../../errors/base.ts';
import type { APIErrorDetails } from '../../errors/responses.ts';
import { codeIs } from '../../wire/codes.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';

/** What an error response reveals about the request: rejected, or possibly carried out and charged. Specification: Codes. */
export function outcomeOf(status: number, code?: string, chargeUsd = 0): Outcome {
  const isUncertain =
    chargeUsd > 0 ||
    status === 408 ||
    // A redirect that says the request was processed. Browsers report any redirect as 0.
    status === 303 ||
    status === 0 ||
    (status >= 500 && status !== 503) ||
    codeIs(code, 'uncertain');
  return isUncertain ? 'unknown' : 'rejected';
}

/**
 * The outcome of a response whose body, and with it the error code, is not known: it was lost or cut off, it was too
 * large, or a hook failed first. The status then proves a rejection only if no code that leaves the outcome open comes
 * with it. These statuses do not prove one:
 *
 * - 409: `attempt_repeated` of the proxy.
 * - 503: `material_create_outcome_uncertain` and its like. As after any other lost response, only a request that has a
 *   key is sent again, with the same key.
 * - Success: the request was carried out.
 */
export function outcomeOfUnread({ status, chargeUsd }: UnreadResponse): Outcome {
  return status < 300 || status === 409 || status === 503
    ? 'unknown'
    : outcomeOf(status, undefined, chargeUsd);
}

type UnreadResponse = Pick<ResponseMeta, 'status' | 'chargeUsd'>;

/**
 * The outcome of the attempt that ended with an error response. Its `body` is undefined if it could not be read. JSON
 * that is cut off counts as unread: nothing reports that a connection was lost if the length of the body was not
 * announced.
 */
export function outcomeOfError({ meta, code, body }: ErrorResponse): Outcome {
  const isCutOff = typeof body === 'string' && /^\s*\{/.test(body);
  return body === undefined || isCutOff
    ? outcomeOfUnread(meta)
    : outcomeOf(meta.status, code, meta.chargeUsd);
}

type ErrorResponse = Pick<APIErrorDetails, 'meta' | 'code' | 'body'>;

/**
 * The outcome of a call, given that of the attempts so far and that of the last one. Once an attempt may have been
 * charged, so may the call; and a request that was once rejected has reached the service.
 */
export function combineOutcomes(previous: Outcome, last: Outcome): Outcome {
  return previous === 'unknown' || last === 'not-sent' ? previous : last;
}

/**
 * Whether a request that costs nothing, such as a poll or a download, may succeed later after a response with this
 * status: a timeout, a rate limit or an outage. It does not matter whether the request was carried out.
 */
export const isTemporary = (status: number): boolean =>
  status >= 500 || [408, 429].includes(status);

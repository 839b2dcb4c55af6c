import type { Outcome } from '../../../errors/base.ts';
import type { ResponseMeta } from '../../../types/meta.ts';

/** What an error response reveals about the request: rejected, or possibly carried out and charged. Specification: Codes. */
export function outcomeOf(status: number, code = '', chargeUsd = 0): Outcome {
  const isUncertain =
    chargeUsd > 0 ||
    status === 408 ||
    // A redirect that says the request was processed. Browsers report any redirect as 0.
    status === 303 ||
    status === 0 ||
    (status >= 500 && status !== 503) ||
    // The proxy forwarded the first of two equal requests, and its response was lost.
    code === 'attempt_repeated' ||
    code.endsWith('_outcome_uncertain');
  return isUncertain ? 'unknown' : 'rejected';
}

/**
 * The outcome of an error response whose body, and with it the error code, could not be read. A 409 may be that of the proxy for
 * a request that it has already forwarded.
 */
export function outcomeOfUnread({ status, chargeUsd }: UnreadResponse): Outcome {
  return status === 409 ? 'unknown' : outcomeOf(status, '', chargeUsd);
}

type UnreadResponse = Pick<ResponseMeta, 'status' | 'chargeUsd'>;

/**
 * The outcome of an attempt that failed before the body of its response was read, for example in a hook. The error code is
 * unknown, so any 5xx may have been charged. `interrupted` is the outcome of an attempt without a rejection.
 */
export function outcomeBeforeBody(
  { status = 0, chargeUsd }: Partial<UnreadResponse>,
  interrupted: Outcome,
): Outcome {
  return status >= 400 && status < 500 ? outcomeOfUnread({ status, chargeUsd }) : interrupted;
}

/**
 * The outcome of a call, given that of the attempts so far and that of the last one. Once an attempt may have been
 * charged, so may the call; and a request that was once rejected has reached the service.
 */
export function combineOutcomes(previous: Outcome, last: Outcome): Outcome {
  return previous === 'unknown' || last === 'not-sent' ? previous : last;
}

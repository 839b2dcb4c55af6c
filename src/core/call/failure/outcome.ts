import type { Outcome } from '../../../errors/base.ts';

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
 * The outcome of a call, given that of the attempts so far and that of the last one. Once an attempt may have been
 * charged, so may the call; and a request that was once rejected has reached the service.
 */
export function combineOutcomes(previous: Outcome, last: Outcome): Outcome {
  return previous === 'unknown' || last === 'not-sent' ? previous : last;
}

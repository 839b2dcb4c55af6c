import { PolygateError } from 'polygate';

import { requestOf } from '../../../internal.ts';
import { usd } from '../text.ts';
import type { DiagnosisContext } from './context.ts';
import { noResponseAdvice } from './failure.ts';
import type { Finding } from './report.ts';

/** Why a run ended before all checks had, as the start of a sentence. */
export function earlyEnd(signal: AbortSignal): string {
  return isTimeout(signal) ? 'The run timed out' : 'The run was aborted';
}

/** Describes what the running check waited for when the run ended. Its requests may have cost `unconfirmedUsd`. */
export function describeEarlyEnd(
  { unmet }: DiagnosisContext,
  signal: AbortSignal,
  error: unknown,
  unconfirmedUsd: number,
): Pick<Finding, 'status' | 'detail' | 'advice'> {
  const request = (PolygateError.is(error) && requestOf(error)) || 'its result';
  const detail = `${earlyEnd(signal)} while this check waited for ${request}.`;
  if (unconfirmedUsd > 0) {
    const advice = `Its requests may have been charged ${usd(unconfirmedUsd)}.`;
    return { status: 'warning', detail, advice };
  }
  // Without a response, nothing shows that there is a gateway.
  return unmet.gateway !== undefined && isTimeout(signal)
    ? { status: 'failed', detail, advice: noResponseAdvice }
    : { status: 'skipped', detail };
}

function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

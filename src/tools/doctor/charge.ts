import type { ResponseMeta } from 'polygate';

import { isUncharged } from '../../internal.ts';
import { errorResponse, statusOf } from './run/failure.ts';

/**
 * What is known about the charge of a request:
 *
 * - `free`: it was not charged;
 * - `reported`: its response reports a charge above 0;
 * - `unreported`: it has succeeded, and its response reports no charge, or 0, which does not prove that it was free;
 * - `possible`: it has failed, and may have been charged.
 */
export type Charge =
  | { readonly kind: 'free' | 'possible' }
  | { readonly kind: 'reported'; readonly usd: number }
  | { readonly kind: 'unreported'; readonly meta: ResponseMeta };

/**
 * The charge of a request that has succeeded. `isReplay`: it returned what the first request with its key has paid for.
 */
export function chargeOfResult(meta: ResponseMeta, { isReplay }: { isReplay: boolean }): Charge {
  if (isReplay) return { kind: 'free' };
  return meta.chargeUsd ? { kind: 'reported', usd: meta.chargeUsd } : { kind: 'unreported', meta };
}

/** What is known about a failed request, apart from its error. */
interface FailedRequest {
  /** Whether its key was used before. Only then, its response can be a replay. */
  readonly reusesKey?: boolean | undefined;
  /** Metadata of its response, if the error does not have it. */
  readonly meta?: ResponseMeta;
}

/** The charge of a request that has failed, or whose result could not be read: then, it is not known to be a replay. */
export function chargeOfFailure(
  error: unknown,
  { reusesKey = false, meta = errorResponse(error)?.meta }: FailedRequest = {},
): Charge {
  const mayBeReplay = reusesKey && meta?.idempotentReplay === true;
  if (meta?.chargeUsd && !mayBeReplay) return { kind: 'reported', usd: meta.chargeUsd };
  if (meta && meta.status >= 200 && meta.status < 300) {
    const isMissing = meta.chargeUsd === undefined && !mayBeReplay;
    return isMissing ? { kind: 'unreported', meta } : { kind: 'possible' };
  }
  // A 503 should be free, but a limit holds only if it does not depend on that.
  return { kind: isUncharged(error) && statusOf(error) !== 503 ? 'free' : 'possible' };
}

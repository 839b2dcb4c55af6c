import { isInvalidRequest, reportedCharge } from '../../../internal.ts';
import type { ProxyResponse } from '../options.ts';
import type { SettledAs } from '../store/store.ts';

/** What the headers of a response say about its charge. */
interface ChargeMeta {
  readonly status: number;
  readonly chargeUsd?: number | undefined;
  readonly idempotentReplay: boolean;
}

/**
 * What a response means for the reservation of its request. Without a charge in it, what was reserved is charged. An
 * `invalid` request also frees the reservations of lost requests with the same body, which the store compares. `code` is
 * that of an error.
 */
export function chargeOf(
  outcome: ProxyResponse['outcome'],
  { status, chargeUsd, idempotentReplay: replay }: ChargeMeta,
  code: string | undefined,
): { as: SettledAs; chargeUsd?: number | undefined; replay: boolean } {
  // An error response can report a charge. One of 0 says that nothing was paid for.
  if (outcome === 'accepted' || (chargeUsd ?? 0) > 0) {
    return { as: 'charged', chargeUsd: reportedCharge(chargeUsd, replay), replay };
  }
  return { as: isInvalidRequest({ outcome, status, code }) ? 'invalid' : outcome, replay };
}

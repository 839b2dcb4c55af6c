import type { ResponseMeta } from '../../../wire/types/meta.ts';
import { unchecked } from '../../../wire/types/schema.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { reportedCharge } from '../../limits/budget.ts';

/** What a submission counts toward `maxUsd` when it has ended: its charge, what is reserved for it, or nothing. */
export type CountedCharge =
  | { readonly counts: 'charge'; readonly usd: number }
  | { readonly counts: 'reservation' | 'nothing' };

/** What the response to a submission says about its charge. */
export interface ChargeReport {
  /** The charge in USD, if the service has reported one. */
  readonly chargeUsd: number | undefined;
  /** Whether the response is that of an earlier request with the same key. Only that one was charged. */
  readonly isReplay: boolean;
}

/** A submission that the service has accepted. */
interface AcceptedSubmission extends ChargeReport {
  /** Whether the owner of the budget may have paid for the request that is replayed, and may not have counted it. */
  readonly isReplayPaid: boolean;
}

/**
 * What an accepted submission of a row counts, in a batch and in a queue:
 *
 *     response                     isReplayPaid   counts
 *     ---------------------------  -------------  -----------
 *     first one, with a charge     any            charge
 *     first one, without a charge  any            reservation
 *     replay, charge above 0       yes            charge
 *     replay, charge of 0 or none  yes            reservation
 *     replay                       no             nothing
 *
 * A batch and a queue differ only in what they know about the request that is replayed:
 *
 * - In a batch, `isReplayPaid` is always true. The journal has neither the requests of a run without a journal, whose
 *   keys the caller can pass on, nor those whose lines are lost. So a replay counts even if another program has paid
 *   for it: `maxUsd` limits what the tasks and completions of a batch cost together.
 * - In a queue, it is true if the row was submitted before. Redis has every request of every row, and the sum of a
 *   queue keeps the charges of removed rows. Any other request counts already, or another program has paid for it.
 */
export function countedCharge({
  chargeUsd,
  isReplay,
  isReplayPaid,
}: AcceptedSubmission): CountedCharge {
  if (isReplay && !isReplayPaid) return { counts: 'nothing' };
  const usd = reportedCharge(chargeUsd, isReplay);
  return usd === undefined ? { counts: 'reservation' } : { counts: 'charge', usd };
}

/**
 * What a submission counts that may have been charged and has failed: the charge above 0 that its response has reported,
 * for example with a body that cannot be read, or else what is reserved.
 */
export function countedFailure(error: unknown): CountedCharge {
  const { meta } = unchecked<{ meta?: ResponseMeta }>(isRecord(error) ? error : {});
  const usd = meta?.chargeUsd;
  return usd ? { counts: 'charge', usd } : { counts: 'reservation' };
}

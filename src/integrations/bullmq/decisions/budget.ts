/** Whether the budget of a queue covers a row, by the rule of a batch. */
import {
  nextReservation,
  reservationFor,
  reservationProblem,
  roundUsd,
  unpricedUsd,
} from '../../../internal.ts';
import type { ReservedAmount } from '../../../internal.ts';

/** What a queue has spent, and what its rows may cost. */
export interface QueueSpend {
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** The largest charge so far, by path. */
  readonly largest: ReadonlyMap<string, number>;
  /** How many rows are or may have been charged, and have reserved nothing, by path. */
  readonly unpriced: ReadonlyMap<string, number>;
  /** Number of rows that are being submitted. */
  readonly submitting: number;
}

/** A row that needs a part of the budget. */
export interface Purchase {
  /** Requests to one path have similar prices. */
  readonly path: string;
  /** Its price in USD; undefined if it is not known. */
  readonly priceUsd: number | undefined;
}

/** What a row reserves without a limit: nothing, so that it counts as unpriced if a limit is set later. */
export const unlimited: ReservedAmount = { usd: 0, basis: 'unknown' };

/** Whether to reserve, to wait for the rows in flight, or to pause the queue because its budget is exceeded. */
export type Decision = ReturnType<typeof nextReservation>;

/** Whether the row may be submitted, or must wait for those in flight; and what it reserves. */
export interface BudgetDecision {
  readonly decision: Decision;
  readonly reservation: ReservedAmount;
  /** Why the budget does not cover the row. */
  readonly problem: string;
}

/** Decides whether a budget covers a row. */
export function decideReservation(
  { spentUsd, reservedUsd, largest, unpriced, submitting }: QueueSpend,
  { path, priceUsd }: Purchase,
  maxUsd: number,
): BudgetDecision {
  const estimatedUsd = roundUsd(reservedUsd + unpricedUsd(unpriced, largest));
  const state = {
    maxUsd: roundUsd(maxUsd),
    committedUsd: roundUsd(spentUsd + estimatedUsd),
    next: reservationFor(priceUsd, largest.get(path)),
    inFlight: submitting,
    unpriced: unpriced.get(path) ?? 0,
  };
  const problem =
    `${spentUsd} of ${maxUsd} USD spent, ${estimatedUsd} USD reserved for rows that may be charged; ` +
    reservationProblem(state);
  return { decision: nextReservation(state), reservation: state.next, problem };
}

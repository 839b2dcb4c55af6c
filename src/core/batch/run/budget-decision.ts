/** What the budget of a batch decides: a pure function, so that a table can test it. All amounts are in USD. */
import { roundUsd } from '../../limits/round-usd.ts';

/** How many submissions without a known price may be lost before their price has to become known. */
const maxUnpriced = 4;

/** What decides whether a budget covers a submission. */
export interface ReservationState {
  readonly maxUsd: number;
  /** What all rows have been charged, and what is reserved for rows that may be charged. */
  readonly committedUsd: number;
  /** What to reserve: the price, or else the largest charge for such a request; undefined if neither is known. */
  readonly usd: number | undefined;
  /** Whether `usd` is a price, so that the charge cannot exceed it. */
  readonly isPrice: boolean;
  /** Number of submissions with a reservation. Their charges may be lower. */
  readonly inFlight: number;
  /** Number of lost submissions to the same path for which no price was known. */
  readonly unpriced: number;
}

/** Whether to reserve the amount, to wait for submissions in flight, or to give up because the budget does not cover it. */
export function nextReservation(state: ReservationState): 'reserve' | 'wait' | 'exceeded' {
  if (fits(state)) return 'reserve';
  return state.inFlight > 0 ? 'wait' : 'exceeded';
}

function fits(state: ReservationState): boolean {
  const { maxUsd, committedUsd, usd, isPrice, inFlight, unpriced } = state;
  if (maxUsd === Infinity) return true;
  // An unknown charge is more than nothing.
  if (!isPrice && committedUsd >= maxUsd) return false;
  // One at a time until the first charge is known.
  if (usd === undefined) return inFlight === 0 && unpriced < maxUnpriced;
  return roundUsd(committedUsd + usd) <= maxUsd;
}

/** Why a budget does not cover a submission. */
export function reservationProblem({ usd, unpriced }: ReservationState): string {
  if (usd !== undefined) return `the next row costs ${usd} USD`;
  if (unpriced < maxUnpriced) return 'the next row costs an unknown price';
  return (
    `${unpriced} more rows may have been charged, and what such a row costs is not known. ` +
    'It becomes known when one succeeds, for example in a run without maxUsd'
  );
}

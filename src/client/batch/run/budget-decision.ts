/** What the budget of a batch or a queue decides: pure functions, so that a table can test them. All amounts are in USD. */
import { roundUsd } from '../../limits/budget.ts';

/** How many submissions may have been charged an amount of which nothing is known. */
const maxUnpriced = 4;

/** What is set aside for a submission until it is accepted or has failed. */
export interface ReservedAmount {
  /** The amount in USD. */
  readonly usd: number;
  /**
   * Where the amount comes from: the price (or what an earlier run has reserved), the largest charge for such a request so
   * far, or nothing, because neither is known.
   */
  readonly basis: 'price' | 'largest-charge' | 'unknown';
}

/** What to reserve for a request. `largest` is the largest charge for such a request so far, if one is known. */
export function reservationFor(
  price: number | undefined,
  largest: number | undefined,
): ReservedAmount {
  if (price !== undefined) return { usd: price, basis: 'price' };
  if (largest !== undefined) return { usd: largest, basis: 'largest-charge' };
  return { usd: 0, basis: 'unknown' };
}

/** What unpriced requests may have cost: as much as any other. Both are by path. */
export function unpricedUsd(
  unpriced: ReadonlyMap<string, number>,
  largest: ReadonlyMap<string, number>,
): number {
  let usd = 0;
  for (const [path, count] of unpriced) usd += count * (largest.get(path) ?? 0);
  return usd;
}

/** Whether nothing is set aside for a submission although it may be charged. */
export const isUnpriced = ({ usd, basis }: ReservedAmount): boolean =>
  usd === 0 && basis !== 'price';

/** What decides whether a budget covers a submission. */
export interface ReservationState {
  readonly maxUsd: number;
  /** What all rows have been charged, and what is reserved for rows that may be charged. */
  readonly committedUsd: number;
  /** What to reserve. */
  readonly next: ReservedAmount;
  /** Number of submissions with a reservation. Their charges may be lower. */
  readonly inFlight: number;
  /** Number of submissions to the same path that were or may have been charged, and count with no amount. */
  readonly unpriced: number;
}

/** Whether to reserve the amount, to wait for submissions in flight, or to give up because the budget does not cover it. */
export function nextReservation(state: ReservationState): 'reserve' | 'wait' | 'exceeded' {
  if (fits(state)) return 'reserve';
  return state.inFlight > 0 ? 'wait' : 'exceeded';
}

function fits(state: ReservationState): boolean {
  const { maxUsd, committedUsd, next, inFlight, unpriced } = state;
  if (maxUsd === Infinity) return true;
  // An unknown charge is more than nothing.
  if (next.basis !== 'price' && committedUsd >= maxUsd) return false;
  if (isUnpriced(next) && unpriced >= maxUnpriced) return false;
  // One at a time until the first charge is known.
  if (next.basis === 'unknown') return inFlight === 0;
  return roundUsd(committedUsd + next.usd) <= maxUsd;
}

/** Why a budget does not cover a submission. */
export function reservationProblem({ next, unpriced }: ReservationState): string {
  if (!isUnpriced(next)) return `the next row costs ${next.usd} USD`;
  if (unpriced < maxUnpriced) return 'the price of the next row is not known';
  return (
    `${unpriced} more rows may have been charged, and what such a row costs is not known. ` +
    'It becomes known when the service reports a charge above 0 for one, for example in a run without maxUsd'
  );
}

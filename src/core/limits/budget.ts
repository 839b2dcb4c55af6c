import type { Budget } from '../config/options.ts';
import { roundUsd } from './round-usd.ts';

/** Money that is no longer available, in USD. */
export interface Commitments {
  /** Charged so far. */
  readonly spent: number;
  /** Reserved for requests whose charge is not known yet. */
  readonly reserved: number;
}

/**
 * Whether the budget covers a request. One whose price is unknown passes until the budget is used up, unless the budget
 * is strict.
 */
export function fitsBudget(
  { maxUsd, strict }: Budget,
  { spent, reserved }: Commitments,
  price: number | undefined,
): boolean {
  // A limit such as `1 - 0.9` is a little below the amount that was meant.
  const limit = roundUsd(maxUsd);
  const committed = roundUsd(spent + reserved);
  return price === undefined ? !strict && committed < limit : roundUsd(committed + price) <= limit;
}

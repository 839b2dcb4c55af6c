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
  const committed = spent + reserved;
  return price === undefined
    ? !strict && committed < maxUsd
    : roundUsd(committed + price) <= maxUsd;
}

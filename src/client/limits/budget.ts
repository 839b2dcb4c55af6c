import type { Budget } from '../config/options.ts';
import { roundUsd } from './round-usd.ts';

/** Money that is no longer available, in USD. */
export interface Commitments {
  /** Charged so far. */
  readonly spent: number;
  /** Reserved for requests whose charge is not known, or not yet. */
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

/** Why the budget does not cover a request. `whenKnown`: when its price is known, if it is not known yet. */
export function budgetProblem(
  { maxUsd }: Budget,
  { spent, reserved }: Commitments,
  price: number | undefined,
  whenKnown: string,
): string {
  const limit = roundUsd(maxUsd);
  const state = `${spent} of ${limit} USD spent, ${reserved} USD reserved`;
  if (price !== undefined) return `Budget exceeded: ${state}; this request costs ${price} USD`;
  return roundUsd(spent + reserved) >= limit
    ? `Budget exceeded: ${state}; the price of this request is known only ${whenKnown}`
    : `The strict budget rejects this request, because its price is known only ${whenKnown}: ${state}`;
}

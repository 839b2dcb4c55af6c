import { roundUsd } from '../../paid/amounts.ts';
import { verdictOf } from '../../paid/verdict.ts';
import type { Budget } from '../config/options.ts';

/** Money that is no longer available, in USD. */
export interface Commitments {
  /** Charged so far. */
  readonly spent: number;
  /** Reserved for requests whose charge is not known, or not yet. */
  readonly reserved: number;
}

/** Why a budget does not cover a call: what is committed already, and what the call may cost, if that is known. */
export interface Shortfall extends Commitments {
  readonly price: number | undefined;
}

/** Why the budget does not cover a request. `unknown`: why its price is not known, if it is not. */
export function budgetProblem(
  { maxUsd }: Budget,
  { spent, reserved }: Commitments,
  price: number | undefined,
  unknown: string,
): string {
  const limit = roundUsd(maxUsd);
  const state = `${spent} of ${limit} USD spent, ${reserved} USD reserved`;
  if (price !== undefined) return `Budget exceeded: ${state}; this request costs ${price} USD`;
  return roundUsd(spent + reserved) >= limit
    ? `Budget exceeded: ${state}; the price of this request ${unknown}`
    : `The strict budget rejects this request, because its price ${unknown}: ${state}`;
}

/**
 * The charge in USD that a response to a paid request reports. Undefined if it reports none: then the estimate of a request that
 * has succeeded counts toward every budget, because a service may charge without reporting it. A replay that costs nothing says
 * nothing about the request that it repeats.
 */
export function reportedCharge(
  chargeUsd: number | undefined,
  isReplay: boolean,
): number | undefined {
  return verdictOf({ status: 200, chargeUsd, idempotentReplay: isReplay }).usd;
}

import { verdictOf } from '../../paid/verdict.ts';
import type { Safety } from '../../wire/endpoints/endpoint.ts';
import type { Budget } from '../config/options.ts';

/** Money that is no longer available, in USD. */
export interface Commitments {
  /** Charged so far. */
  readonly spent: number;
  /** Reserved for requests whose charge is not known, or not yet. */
  readonly reserved: number;
}

/** A paid call, as the ledger knows it. */
export interface PaidCall {
  readonly route: string;
  readonly model: string | undefined;
  /** Identifies the charge: calls with the same key are charged once. */
  readonly key: string | undefined;
  /** Calls that are `keyed` are charged once per key, so those with the same key share a reservation. */
  readonly safety: Safety;
  /** Identifies the body. Called only if the call has a key and a budget. */
  readonly readBody: () => string;
  /** How many units the call pays for, such as images or seconds; undefined if that is not known. */
  readonly readUnits: () => number | undefined;
}

/** Why a budget does not cover a call: what is committed already, and what the call may cost, if that is known. */
export interface Shortfall extends Commitments {
  readonly price: number | undefined;
}

/** `resending` follows an attempt that may have been charged. */
export type Stage = 'queueing' | 'sending' | 'resending';

/**
 * Whether the budget covers a request. One whose price is unknown passes until the budget is used up, unless the budget
 * is strict, and so does one whose price is 0, because it may be charged nevertheless.
 */
export function fitsBudget(
  { maxUsd, strict }: Budget,
  { spent, reserved }: Commitments,
  price: number | undefined,
): boolean {
  // A limit such as `1 - 0.9` is a little below the amount that was meant.
  const limit = roundUsd(maxUsd);
  const committed = roundUsd(spent + reserved);
  if (price) return roundUsd(committed + price) <= limit;
  return committed < limit && (price === 0 || !strict);
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

/** Rounds away floating-point errors, so that a million charges of 0.000001 USD add up to exactly 1 USD. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}

/**
 * The largest charge per unit so far, by price class: requests of one class have the same price per unit. A listed price is
 * a belief, and a charge is a fact, so a class whose charges are above its listed price reserves the largest one.
 */
export class LargestCharges {
  readonly #perUnit = new Map<string, number>();

  /** Records what a request was charged for a number of units: images, seconds or characters. */
  add({ priceClass, units }: PricedUnits, usd: number): void {
    const largest = this.#perUnit.get(priceClass) ?? 0;
    if (usd > 0) this.#perUnit.set(priceClass, Math.max(largest, usd / units));
  }

  /** What a request may cost, judged by the charges so far: 0 before the first one. */
  of({ priceClass, units }: PricedUnits): number {
    return roundUsd((this.#perUnit.get(priceClass) ?? 0) * units);
  }
}

/** What a request pays for. */
export interface PricedUnits {
  /** Requests with the same class have the same price per unit. */
  readonly priceClass: string;
  /** How many units the request pays for: images, seconds, characters. */
  readonly units: number;
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

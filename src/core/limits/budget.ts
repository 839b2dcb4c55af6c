import { roundUsd } from './round-usd.ts';

/** The most that may be spent, as the user set it. */
export interface Budget {
  /** USD. */
  maxUsd: number;
  /**
   * Also refuses requests whose price is not known before they are sent.
   * @defaultValue false
   */
  strict?: boolean | undefined;
}

/** What is gone and what may be, USD. */
export interface Commitments {
  /** Charged so far. */
  readonly spent: number;
  /** Set aside for requests whose charge is not known yet. */
  readonly reserved: number;
}

/** Whether a request may be sent. One whose price is not known is let through until all is spent or reserved. */
export function fitsBudget(
  { maxUsd, strict }: Budget,
  { spent, reserved }: Commitments,
  price: number | undefined,
): boolean {
  const taken = spent + reserved;
  return price === undefined ? !strict && taken < maxUsd : roundUsd(taken + price) <= maxUsd;
}

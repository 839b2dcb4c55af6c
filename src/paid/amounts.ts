/** Sums are counted in integers of a billionth of a USD, because sums of fractions drift. */

/** The highest amount: sums of it remain finite, which JSON and Redis require. */
const maxNano = 1e24;

/** Billionths of a USD. Rounded up, so that no amount is lost, but not because of an error in the last digit. */
export const toNano = (usd: number): number =>
  Math.min(maxNano, Math.ceil(Math.round(usd * 1e12) / 1e3));

/** An amount in USD. */
export const toUsd = (nano: number): number => nano / 1e9;

/** An amount in USD, rounded up to a billionth. */
export const roundUsd = (usd: number): number => toUsd(toNano(usd));

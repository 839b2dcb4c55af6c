/**
 * Amounts are rounded to a billionth of a dollar: fine enough for the price of a single character,
 * coarse enough for doubles.
 */
const precision = 1e9;

/** Rounds an amount in USD; zero if it is negative or not finite. */
export function roundUsd(amount: number): number {
  if (!Number.isFinite(amount) || amount <= 0) return 0;
  return Math.round(amount * precision) / precision;
}

/** Returns the rounded sum of two amounts, either of which may be negative. */
export function addUsd(first: number, second: number): number {
  return Math.round((first + second) * precision) / precision;
}

/** Formats an amount with decimal digits only, never with an exponent. */
export function formatUsd(amount: number): string {
  const text = amount.toFixed(9);
  return text.replace(/\.?(?<!0)0+$/, '') || '0';
}

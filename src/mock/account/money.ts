/**
 * Sums stay exact to a billionth of a dollar: enough for a single character, small enough for
 * doubles.
 */
const precision = 1e9;

/** USD, never negative, never infinite. */
export function roundUsd(amount: number): number {
  if (!Number.isFinite(amount) || amount <= 0) return 0;
  return Math.round(amount * precision) / precision;
}

/** The sum of two amounts of which either may be negative. */
export function addUsd(one: number, other: number): number {
  return Math.round((one + other) * precision) / precision;
}

/** A header's text: decimal digits only, no exponent. */
export function formatUsd(amount: number): string {
  const text = amount.toFixed(9);
  return text.replace(/\.?(?<!0)0+$/, '') || '0';
}

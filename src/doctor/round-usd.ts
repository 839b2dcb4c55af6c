/** Rounds an amount to a billionth of a dollar: removes the noise of binary fractions. */
export function roundUsd(amount: number): number {
  return Number(amount.toFixed(9));
}

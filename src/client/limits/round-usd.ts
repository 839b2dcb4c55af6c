/** Rounds away floating-point errors, so that a million charges of 0.000001 USD add up to exactly 1 USD. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}

/** Sums of decimals without the dust of binary fractions: a million millionths of a dollar is a dollar. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}

/** Formats amounts such as `0.005 USD` in a text as {@link formatUsd} does. */
export function withUsdSigns(text: string): string {
  return text.replaceAll(/\b(\d{1,12}(?:\.\d{1,12})?) USD\b/g, (_, usd: string) =>
    formatUsd(Number(usd)),
  );
}

/** Formats an amount in USD, with at least two decimals and no exponent: `$0.02`. */
export function formatUsd(usd: number): string {
  return `$${usd.toFixed(9).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

/** Formats amounts in USD for a column: with as many decimals as the one with the most, and aligned at the right. */
export function alignUsd(amounts: readonly (number | undefined)[]): (string | undefined)[] {
  const known = amounts.filter((usd) => usd !== undefined);
  const decimals = Math.max(...known.map((usd) => formatUsd(usd).split('.')[1]?.length ?? 0), 2);
  const texts = amounts.map((usd) => (usd === undefined ? undefined : `$${usd.toFixed(decimals)}`));
  const width = Math.max(...texts.map((text) => text?.length ?? 0));
  return texts.map((text) => text?.padStart(width));
}

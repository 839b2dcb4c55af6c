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

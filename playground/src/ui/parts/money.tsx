const format = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  // A chat can cost a fraction of a cent, and the gateway charges whole millionths of a dollar.
  maximumFractionDigits: 6,
});

/** Formats USD: the one format of all amounts on the page. Exact, with two to six decimals. */
export function usd(amount: number): string {
  return format.format(amount).replace('-', '−');
}

/** An amount in USD. */
export function Money({ amount }: { amount: number | undefined }) {
  return <span class="money">{amount === undefined ? '–' : usd(amount)}</span>;
}

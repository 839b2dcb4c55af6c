/** A chat can cost a fraction of a cent, and the gateway charges whole millionths of a dollar. */
const maxDecimals = 6;

/**
 * Formats USD: in cents if it is at least one cent, and otherwise with two significant digits, or with a given number of
 * decimals.
 */
export function usd(amount: number, decimals?: number): string {
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: decimals ?? 2,
    maximumFractionDigits: decimals ?? usualDecimals(Math.abs(amount)),
  });
  return format.format(amount).replace('-', '−');
}

function usualDecimals(size: number): number {
  // A sum of doubles can be a bit less than a cent.
  return size === 0 || size > 0.00995 ? 2 : 1 - Math.floor(Math.log10(size));
}

/** The number of decimals that shows all amounts of a table exactly, so that their points are in one column. */
export function decimalsFor(amounts: readonly (number | undefined)[]): number {
  const lengths = amounts.map((amount = 0) => {
    const [, decimals = ''] = amount.toFixed(maxDecimals).replace(/0+$/, '').split('.');
    return decimals.length;
  });
  return Math.max(2, ...lengths);
}

interface MoneyProps {
  amount: number | undefined;
  /** The number of decimals of the table. */
  decimals?: number | undefined;
}

/** An amount in USD. */
export function Money({ amount, decimals }: MoneyProps) {
  return <span class="money">{amount === undefined ? '–' : usd(amount, decimals)}</span>;
}

/** Dollars with as many digits as the amount needs: a word of a chat costs a thousandth of a cent. */
export function usd(amount: number): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? 6 : 2;
  const text = Math.abs(amount).toFixed(Math.max(digits, decimals(amount)));
  const short = text.replace(/(\.\d\d\d*?)0+$/, '$1');
  return `${amount < 0 ? '−' : ''}$${short}`;
}

function decimals(amount: number): number {
  return Math.min(6, (String(amount).split('.')[1] ?? '').length);
}

/** An amount of money. */
export function Money({ amount }: { amount: number | undefined }) {
  return <span class="money">{amount === undefined ? '–' : usd(amount)}</span>;
}

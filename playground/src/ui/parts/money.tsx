/** Formats USD with as many decimals as needed: a chat can cost a fraction of a cent. */
export function usd(amount: number): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? 6 : 2;
  const text = Math.abs(amount).toFixed(Math.max(digits, decimals(amount)));
  const trimmed = text.replace(/(\.\d\d\d*?)0+$/, '$1');
  return `${amount < 0 ? '−' : ''}$${trimmed}`;
}

function decimals(amount: number): number {
  return Math.min(6, (String(amount).split('.')[1] ?? '').length);
}

/** An amount in USD. */
export function Money({ amount }: { amount: number | undefined }) {
  return <span class="money">{amount === undefined ? '–' : usd(amount)}</span>;
}

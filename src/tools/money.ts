/** How amounts of money are written for people. Programs read exact numbers, as `--json` prints them. */

/** An amount in USD: in cents if it is at least one cent, and otherwise with two significant digits: `$0.0023`. */
export function formatUsd(usd: number): string {
  const size = Math.abs(usd);
  const decimals = size === 0 || size >= 0.01 ? 2 : 1 - Math.floor(Math.log10(size));
  return withSign(usd, decimals);
}

/** An amount in USD with all of its digits: a price of one unit, a limit, or an amount that is compared with one. */
export function exactUsd(usd: number): string {
  return withSign(usd, maxDecimals);
}

/** How the command line writes the messages of the client. */
export const forCommands = {
  usd: exactUsd,
  amounts: (usd: number, whole: number) => `${exactUsd(usd)} of ${exactUsd(whole)}`,
  option: (name: string) => (name === 'maxUsd' ? '--max-usd' : '--resend-unknown'),
  limit: '--max-usd',
  again: 'run the same command again',
};

/** Doubles are exact to a billionth of a dollar in any amount that occurs. */
const maxDecimals = 9;

/** Writes at least two decimals, no other zeros at the end, and no exponent. */
function withSign(usd: number, decimals: number): string {
  const digits = Math.abs(usd).toFixed(Math.min(decimals, maxDecimals));
  return `${usd < 0 ? '-' : ''}$${digits.replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

import type { Account, KeyBalance } from 'polygate';

import { parseOptions } from '../arguments.ts';
import { commandOptions, serviceHelp } from '../command-options.ts';
import { createGateway } from '../gateway.ts';
import { formatUsd } from '../money.ts';
import { columns, print, printJson } from '../output.ts';
import { runCommand } from '../run-command.ts';
import { resolveSettings } from '../settings.ts';

const help = `Prints the balance of the account, the quota of the API key and the concurrency limit.

Usage: npx polygate balance [options]

Example:
  npx polygate balance --json

Options:
  --json            print one JSON object; amounts are in USD
${serviceHelp}`;

/** Runs the command, and returns its exit code. */
export function runBalance(args: string[]): Promise<number> {
  return runCommand({ command: 'polygate balance', isPaid: false }, help, async () => {
    const options = parseOptions(args, commandOptions.balance);
    if (options.help || options.version) return options;
    const { account } = createGateway(resolveSettings(options, process.env));
    const [owner, key] = await Promise.all([account.retrieve(), account.balance()]);
    const balance = summarize(owner, key);
    if (options.json) await printJson(balance);
    else await print(columns(balanceRows(balance)));
    return 0;
  });
}

/** What the command prints. A field is missing if the service does not send it. */
interface BalanceSummary {
  wallet: { usd: number | undefined };
  key: { unlimited: boolean; remainingUsd: number | undefined; usedUsd: number | undefined };
  concurrency: { limit: number | undefined };
}

/** The service may leave out any part of the records, whatever the types say. */
type Sent<Type> = { [Key in keyof Type]?: Type[Key] extends object ? Sent<Type[Key]> : Type[Key] };

function summarize(
  { balance, concurrency }: Sent<Account>,
  { data }: Sent<KeyBalance>,
): BalanceSummary {
  const { token } = data ?? {};
  const unitsPerUsd = data?.balance?.quota_per_unit;
  const usd = (units: number | undefined) =>
    units !== undefined && unitsPerUsd ? units / unitsPerUsd : undefined;
  return {
    wallet: { usd: balance?.usd },
    key: {
      unlimited: token?.unlimited_quota === true,
      remainingUsd: token?.unlimited_quota === true ? undefined : usd(token?.remain_quota),
      usedUsd: usd(token?.used_quota),
    },
    concurrency: { limit: concurrency?.limit },
  };
}

function balanceRows({ wallet, key, concurrency }: BalanceSummary): string[][] {
  const amount = (usd: number | undefined) => (usd === undefined ? 'not reported' : formatUsd(usd));
  const quota = key.unlimited ? 'unlimited' : `${amount(key.remainingUsd)} left`;
  const used = key.usedUsd === undefined ? '' : `, ${formatUsd(key.usedUsd)} used`;
  return [
    ['Wallet', amount(wallet.usd)],
    ['Key quota', quota + used],
    ['Concurrency', `${concurrency.limit ?? 'not reported'} requests at once`],
  ];
}

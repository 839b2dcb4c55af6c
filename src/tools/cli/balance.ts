import type { Account, KeyBalance } from 'polygate';

import { parseOptions } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { createGateway } from './gateway.ts';
import { helpOf } from './help.ts';
import { CommandLog, runCommand } from './run-command.ts';
import { resolveSettings } from './settings.ts';
import { columns, print, printJson } from './terminal.ts';
import { alignUsd, cleanRecord, createCleaner } from './text.ts';

const help = () =>
  helpOf('balance', {
    about: 'Prints the balance of the account, the quota of the API key and the concurrency limit.',
    usage: ['npx polygate balance [options]'],
    examples: ['npx polygate balance --json'],
  });

/** Runs the command, and returns its exit code. */
export function runBalance(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate balance', isPaid: false });
  return runCommand(log, help, async () => {
    const options = parseOptions(args, commandOptions.balance);
    if (options.help || options.version) return options;
    const settings = resolveSettings(options, process.env);
    log.note({ clean: createCleaner(settings.apiKey) });
    const { account } = createGateway(settings);
    const [owner, key] = await Promise.all([account.retrieve(), account.balance()]);
    const balance = balanceOf(owner, key);
    if (options.json) await printJson(cleanRecord(balance, settings.apiKey));
    else await print(columns(balanceRows(balance)));
    return 0;
  });
}

/** The balance as rows of a table. */
export function balanceRows({ wallet, key, concurrency }: BalanceSummary): string[][] {
  const unknown = 'not reported';
  const [balance = unknown, remaining = unknown, used] = alignUsd([
    wallet.usd,
    key.remainingUsd,
    key.usedUsd,
  ]);
  return [
    ['Wallet', balance],
    ['Key quota', key.unlimited ? 'unlimited' : remaining],
    ...(used === undefined ? [] : [['Key used', used]]),
    ['Concurrency', `${concurrency.limit ?? unknown} parallel requests`],
  ];
}

/** Balance, quota and limits. A field is missing if the service does not send it. */
interface BalanceSummary {
  wallet: { usd: number | undefined };
  key: { unlimited: boolean; remainingUsd: number | undefined; usedUsd: number | undefined };
  concurrency: { limit: number | undefined };
}

/** The service may leave out any part of the records, whatever the types say. */
type Sent<Type> = { [Key in keyof Type]?: Type[Key] extends object ? Sent<Type[Key]> : Type[Key] };

/** Summarizes the account, if it is given, and the balance of the API key. */
export function balanceOf(
  { balance, concurrency }: Sent<Account> = {},
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

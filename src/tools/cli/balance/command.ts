import { parseOptions } from '../arguments.ts';
import { CommandLog } from '../command-log.ts';
import { commandOptions, serviceHelp } from '../command-options.ts';
import { createGateway } from '../gateway.ts';
import { alignUsd } from '../money.ts';
import { columns, print, printJson } from '../output.ts';
import { runCommand } from '../run-command.ts';
import { resolveSettings } from '../settings.ts';
import { cleanRecord, createCleaner } from '../text.ts';
import { balanceOf } from './balance-of.ts';
import type { BalanceSummary } from './balance-of.ts';

const help = `Prints the balance of the account, the quota of the API key and the concurrency limit.

Usage: npx polygate balance [options]

Example:
  npx polygate balance --json

Options:
  --json            print one JSON object; amounts are in USD
${serviceHelp}`;

/** Runs the command, and returns its exit code. */
export function runBalance(args: string[]): Promise<number> {
  const log = new CommandLog({ command: 'polygate balance', isPaid: false });
  return runCommand(log, help, async () => {
    const options = parseOptions(args, commandOptions.balance);
    if (options.help || options.version) return options;
    const settings = resolveSettings(options, process.env);
    log.useCleaner(createCleaner(settings.apiKey));
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

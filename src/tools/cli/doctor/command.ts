import type { Polygate } from 'polygate';
import { diagnose } from 'polygate/doctor';
import type { Diagnosis, DiagnosisCheck } from 'polygate/doctor';

import { version } from '../../../internal.ts';
import { roundUsd } from '../../../paid/amounts.ts';
import { formatUsd } from '../../money.ts';
import {
  messageOf,
  parseDecimal,
  parseOptions,
  parseUsd,
  shown,
  UsageError,
} from '../arguments.ts';
import { commandOptions } from '../command-options.ts';
import { helpOf } from '../help.ts';
import { EarlyEnd } from '../run-command.ts';
import { createGateway, resolveSettings } from '../settings.ts';
import type { Settings } from '../settings.ts';
import { endWithReader, printError } from '../terminal.ts';
import { createCleaner, paint, styleFor } from '../text.ts';
import { Progress, isPaid } from './progress.ts';
import { maxTimeoutMs, summary } from './summary.ts';

const command = 'polygate doctor';

const help = () =>
  helpOf('doctor', {
    about:
      'Checks whether a service behaves as the client expects, and prints the options to set if it does not.',
    usage: ['npx polygate doctor [options]'],
    examples: ['npx polygate doctor --spend 0.10'],
    notes: ['Without --spend, only free checks run. Nothing in the account is changed or deleted.'],
    exits: {
      0: 'no check failed',
      1: 'a check failed, or the checks did not end in time',
      2: 'the checks could not start: an option, the base URL or the API key is missing or invalid',
    },
  });

/** The parsed options of the command. */
type DoctorArguments = ReturnType<typeof parseDoctorArguments>;

/** Parses the arguments. Throws a `UsageError` if they are invalid. */
function parseDoctorArguments(args: string[]) {
  const values = parseOptions(args, commandOptions.doctor);
  const { spend, timeout, verbose = false, json = false } = values;
  return {
    ...values,
    maxSpendUsd: spend === undefined ? undefined : parseUsd('--spend', spend),
    timeoutMs: parseTimeout(timeout),
    verbose,
    json,
  };
}

function parseTimeout(text: string): number {
  const ms = (parseDecimal(text) ?? 0) * 1000;
  if (ms > 0 && ms <= maxTimeoutMs) return ms;
  throw new UsageError(
    `--timeout must be a number of seconds above 0, up to 86400, not ${shown(text)}`,
  );
}

/** How long the checks may take to end after the run was ended early. */
const graceMs = 2000;

/**
 * Runs the command, and returns its exit code. Does not use `runCommand`, because its exit codes mean something else: 2 is any
 * reason why the checks could not start, and 1 any that ended them. Nothing that it pays for can be continued.
 */
export async function runDoctor(args: string[]): Promise<number> {
  let options: DoctorArguments;
  let settings: Settings;
  let gateway: Polygate;
  try {
    options = parseDoctorArguments(args);
    if (options.help || options.version) {
      process.stdout.write(options.help ? help() : `${version}\n`);
      return 0;
    }
    settings = resolveSettings(options, process.env);
    gateway = createGateway(settings);
  } catch (error) {
    return printError(command, error, 2);
  }
  const clean = createCleaner(settings.apiKey);
  // After that, nothing more is sent or spent.
  endWithReader((error) => {
    const { totalUsd } = gateway.spend;
    const spent = totalUsd > 0 ? `. The paid checks have cost ${formatUsd(totalUsd)} so far` : '';
    return printError(command, `${error.message}${spent}`, 1);
  });
  try {
    return await run(options, settings, gateway);
  } catch (error) {
    return printError(command, clean(messageOf(error)), 1);
  }
}

async function run(
  options: DoctorArguments,
  settings: Settings,
  gateway: Polygate,
): Promise<number> {
  const style = styleFor(process.stdout);
  const title = `polygate doctor ${version}`;
  if (!options.json) {
    console.log(`${paint(style, 'bold', title)}  ${paint(style, 'gray', gateway.baseURL)}\n`);
  }
  const progress = options.json ? undefined : new Progress(style, process.stdout, options);
  const end = new EarlyEnd(options.timeoutMs);
  const started: Pick<DiagnosisCheck, 'id'>[] = [];
  const checks: DiagnosisCheck[] = [];
  let result: Omit<Diagnosis, 'checks'>;
  try {
    const complete = diagnose({
      gateway,
      maxSpendUsd: options.maxSpendUsd,
      signal: end.signal,
      onStart: (check) => {
        started.push(check);
        progress?.start(check.title);
      },
      onCheck: (check) => {
        checks.push(check);
        progress?.print(check);
      },
    });
    // After an early end, the checks that have not ended soon are left out.
    const incomplete = end.after(graceMs).then(() =>
      incompleteResult({
        started,
        spentUsd: gateway.spend.totalUsd,
        maxSpendUsd: options.maxSpendUsd,
      }),
    );
    result = await Promise.race([complete, incomplete]);
  } finally {
    progress?.stop();
    end.dispose();
  }
  const diagnosis: Diagnosis = { ...result, checks };
  if (options.json) console.log(JSON.stringify(diagnosis, undefined, 2));
  else console.log(`\n${summary(style, { diagnosis, options, settings, end: end.reason })}`);
  return end.exitCode ?? (diagnosis.ok ? 0 : 1);
}

/**
 * The result of a run whose checks did not end. Once a check that costs money has started, only the limit is known of what
 * lost responses may have cost.
 */
export function incompleteResult({
  started,
  spentUsd,
  maxSpendUsd = 0,
}: {
  /** The checks that have started. */
  readonly started: readonly Pick<DiagnosisCheck, 'id'>[];
  /** What responses reported as charged, in USD. */
  readonly spentUsd: number;
  readonly maxSpendUsd: number | undefined;
}): Omit<Diagnosis, 'checks'> {
  const unconfirmedUsd = started.some(isPaid) ? Math.max(0, roundUsd(maxSpendUsd - spentUsd)) : 0;
  return { ok: false, spentUsd, ...(unconfirmedUsd > 0 && { unconfirmedUsd }) };
}

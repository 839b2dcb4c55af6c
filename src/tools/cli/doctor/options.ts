import { parseDecimal, parseOptions, parseUsd, shown, UsageError } from '../arguments.ts';
import { commandOptions } from '../command-options.ts';
import type { ServiceOptions } from '../settings.ts';

/** The parsed options of the command. */
export interface DoctorArguments {
  service: ServiceOptions;
  maxSpendUsd: number | undefined;
  timeoutMs: number;
  json: boolean;
  /** Whether to print every check that was skipped, and the ids of checks and assumptions. */
  verbose: boolean;
  help: boolean;
  version: boolean;
}

/** The default of `--timeout`. */
export const defaultTimeoutMs = 120_000;

/** The largest value of `--timeout`. */
export const maxTimeoutMs = 86_400_000;

export const help = `Checks whether a service behaves as the client expects, and prints the options to set if not.

Usage: npx polygate doctor [options]

Example:
  npx polygate doctor --spend 0.10

Options:
  --base-url <url>  base URL of the service (default: POLYGATE_BASE_URL, then that of polygate init)
  --api-key <key>   API key (default: POLYGATE_API_KEY, which other users of this machine cannot see)
  --spend <usd>     include paid checks: one chat, one stream, one image and their replays, for at most this amount
  --timeout <s>     maximum duration of all checks in seconds (default: 120)
  --verbose         print every check that was skipped, and the ids of checks and assumptions
  --json            print the result as JSON and nothing else
  --version         print the version and exit
  -h, --help        print this help and exit

Without --spend, only free checks run. Nothing in the account is changed or deleted.

Exit codes:
  0    no check failed
  1    a check failed, or the checks did not end in time
  2    the checks could not start: an option, the base URL or the API key is missing or invalid
  130  interrupted with Ctrl-C
  141  the output pipe was closed, as in polygate doctor | head
  143  interrupted with SIGTERM
`;

/** Parses the arguments. Throws a `UsageError` if they are invalid. */
export function parseDoctorArguments(args: string[]): DoctorArguments {
  const values = parseOptions(args, commandOptions.doctor);
  return {
    service: values,
    maxSpendUsd: values.spend === undefined ? undefined : parseUsd('--spend', values.spend),
    timeoutMs: values.timeout === undefined ? defaultTimeoutMs : parseTimeout(values.timeout),
    json: values.json ?? false,
    verbose: values.verbose ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

function parseTimeout(text: string): number {
  const seconds = parseDecimal(text);
  const ms = (seconds ?? 0) * 1000;
  if (ms > 0 && ms <= maxTimeoutMs) return ms;
  throw new UsageError(
    `--timeout must be a number of seconds above 0, up to 86400, not ${shown(text)}`,
  );
}

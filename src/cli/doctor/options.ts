import { commonOptions, parseDecimal, parseOptions, shown, UsageError } from '../arguments.ts';

/** The parsed options of the command. */
export interface DoctorArguments {
  /** Undefined if neither the option nor the environment variable is set. */
  baseURL: string | undefined;
  apiKey: string | undefined;
  /** Whether the base URL is from the command line, so that the next command needs it again. */
  baseURLGiven: boolean;
  /** The same for the API key. */
  apiKeyGiven: boolean;
  maxSpendUsd: number | undefined;
  timeoutMs: number;
  json: boolean;
  help: boolean;
  version: boolean;
}

/** The default of `--timeout`. */
export const defaultTimeoutMs = 120_000;

/** The largest value of `--timeout`. */
export const maxTimeoutMs = 86_400_000;

export const help = `Checks whether a service behaves as the client expects, and prints the options to set if not.

Usage: npx polygate doctor [options]

Options:
  --base-url <url>  base URL of the service (default: POLYGATE_BASE_URL)
  --api-key <key>   API key (default: POLYGATE_API_KEY, which other users of this machine cannot see)
  --spend <usd>     also run one chat, one stream, one image and their replays, for at most this amount
  --timeout <s>     maximum duration of all checks in seconds (default: 120)
  --json            print the result as JSON and nothing else
  --version         print the version and exit
  -h, --help        print this help and exit

Without --spend, only free checks run. Nothing in the account is changed or deleted.

Exit codes:
  0    no check failed
  1    a check failed, or the checks did not end in time
  2    the checks could not start: an option, the base URL or the API key is missing or invalid
  130  interrupted with Ctrl-C
  141  what reads the output has ended, as in polygate doctor | head
  143  interrupted with SIGTERM
`;

const textOption = { type: 'string' } as const;
const knownOptions = {
  'base-url': textOption,
  'api-key': textOption,
  spend: textOption,
  timeout: textOption,
  json: { type: 'boolean' },
  ...commonOptions,
} as const;

/** Parses the arguments. Throws a `UsageError` if they are invalid. */
export function parseDoctorArguments(
  args: string[],
  environment: Readonly<Record<string, string | undefined>>,
): DoctorArguments {
  const values = parseOptions(args, knownOptions);
  return {
    baseURL: values['base-url'] ?? environment.POLYGATE_BASE_URL,
    apiKey: values['api-key'] ?? environment.POLYGATE_API_KEY,
    baseURLGiven: values['base-url'] !== undefined,
    apiKeyGiven: values['api-key'] !== undefined,
    maxSpendUsd: values.spend === undefined ? undefined : parseSpend(values.spend),
    timeoutMs: values.timeout === undefined ? defaultTimeoutMs : parseTimeout(values.timeout),
    json: values.json ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

function parseSpend(text: string): number {
  const usd = parseDecimal(text);
  if (usd !== undefined && usd > 0) return usd;
  throw new UsageError(
    `--spend must be an amount in USD such as 0.10, above 0, at most 999999999 and with at most 9 decimals, not ${shown(text)}`,
  );
}

function parseTimeout(text: string): number {
  const seconds = parseDecimal(text);
  const ms = (seconds ?? 0) * 1000;
  if (ms > 0 && ms <= maxTimeoutMs) return ms;
  throw new UsageError(
    `--timeout must be a number of seconds above 0, up to 86400, not ${shown(text)}`,
  );
}

import { parseDecimal, parseOptions, parseUsd, shown, UsageError } from '../arguments.ts';
import { commandOptions } from '../command-options.ts';
import { endedCodes, helpOf } from '../help.ts';
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
export const defaultTimeoutMs = Number(commandOptions.doctor.timeout.default) * 1000;

/** The largest value of `--timeout`. */
export const maxTimeoutMs = 86_400_000;

export const help = (): string =>
  helpOf('doctor', {
    about:
      'Checks whether a service behaves as the client expects, and prints the options to set if not.',
    usage: ['npx polygate doctor [options]'],
    examples: ['npx polygate doctor --spend 0.10'],
    notes: ['Without --spend, only free checks run. Nothing in the account is changed or deleted.'],
    lists: {
      'Exit codes': [
        ['0', 'no check failed'],
        ['1', 'a check failed, or the checks did not end in time'],
        [
          '2',
          'the checks could not start: an option, the base URL or the API key is missing or invalid',
        ],
        ...endedCodes,
      ],
    },
  });

/** Parses the arguments. Throws a `UsageError` if they are invalid. */
export function parseDoctorArguments(args: string[]): DoctorArguments {
  const values = parseOptions(args, commandOptions.doctor);
  return {
    service: values,
    maxSpendUsd: values.spend === undefined ? undefined : parseUsd('--spend', values.spend),
    timeoutMs: parseTimeout(values.timeout),
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

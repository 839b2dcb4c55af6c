import { parseOptions, UsageError } from '../arguments.ts';
import { commandOptions } from '../command-options.ts';
import type { ServiceOptions } from '../settings.ts';

/** The parsed options of the command. */
export interface TypesArguments {
  service: ServiceOptions;
  output: string;
  check: boolean;
  json: boolean;
  help: boolean;
  version: boolean;
}

export const help = `Writes the ids of your models, with their prices, to a declaration file, so that a wrong id does not compile.

Usage: npx polygate types [options]

Options:
  -o, --output <file>  file to write (default: polygate.models.d.ts)
  --check              write nothing; exit with 1 if the file is missing or its models, types or prices have changed
  --base-url <url>     base URL of the service (default: POLYGATE_BASE_URL)
  --api-key <key>      API key (default: POLYGATE_API_KEY, which other users of this machine cannot see)
  --json               print the result as JSON and nothing else
  --version            print the version and exit
  -h, --help           print this help and exit

Example, in a build:
  npx polygate types --check

Listing models is free.

Exit codes:
  0  the file was written, or is up to date
  1  the service listed no models or could not be reached, or --check has found differences
  2  an option, the base URL or the API key is missing or invalid, or the file cannot be written
`;

/** Parses the arguments. Throws a `UsageError` if they are invalid. */
export function parseTypesArguments(args: string[]): TypesArguments {
  const values = parseOptions(args, commandOptions.types);
  const output = values.output ?? 'polygate.models.d.ts';
  if (!output.endsWith('.d.ts')) {
    throw new UsageError(`--output must be a declaration file, such as types/models.d.ts`);
  }
  return {
    service: values,
    output,
    check: values.check ?? false,
    json: values.json ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

import { readFile, rename, rm, writeFile } from 'node:fs/promises';

import { ConfigurationError } from 'polygate';

import { codeOf, finalPath } from '../../integrations/node/final-path.ts';
import { version } from '../../internal.ts';
import { messageOf, UsageError, parseOptions } from './arguments.ts';
import { commandOptions } from './command-options.ts';
import { helpOf } from './help.ts';
import { createGateway, resolveSettings } from './settings.ts';
import { printError } from './terminal.ts';
import { catalogOf, declarationOf, header, sizeOf, readDeclaration } from './types-declaration.ts';
import type { Catalog } from './types-declaration.ts';

const help = () =>
  helpOf('types', {
    about:
      'Writes the ids of your models, with their prices, to a declaration file, so that a wrong id does not compile.',
    usage: ['npx polygate types [options]'],
    examples: ['npx polygate types --check'],
    examplesNeed: ', in a build',
    notes: ['Listing models is free.'],
    lists: {
      'Exit codes': [
        ['0', 'the file was written, or is up to date'],
        [
          '1',
          'the service listed no models or could not be reached, or --check has found differences',
        ],
        [
          '2',
          'an option, the base URL or the API key is missing or invalid, or the file cannot be written',
        ],
      ],
    },
  });

/** The parsed options of the command. */
type TypesArguments = ReturnType<typeof parseTypesArguments>;

/** Parses the arguments. Throws a `UsageError` if they are invalid. */
function parseTypesArguments(args: string[]) {
  const values = parseOptions(args, commandOptions.types);
  if (values.output.endsWith('.d.ts')) return values;
  throw new UsageError(`--output must be a declaration file, such as types/models.d.ts`);
}

const command = 'polygate types';

/** Runs the command, and returns its exit code. */
export async function runTypes(args: string[]): Promise<number> {
  try {
    const options = parseTypesArguments(args);
    if (options.help || options.version) {
      process.stdout.write(options.help ? help() : `${version}\n`);
      return 0;
    }
    const settings = resolveSettings(options, process.env);
    const file = await existingFile(options);
    const catalog = catalogOf((await createGateway(settings).models.list()).data);
    if (sizeOf(catalog) === 0) throw new Error('the service lists no models for this API key');
    return options.check ? check(options, file, catalog) : await write(options, catalog);
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof ConfigurationError;
    return printError(command, error, isUsage ? 2 : 1);
  }
}

/** The content of the file, if there is one. A file that this command has not written is not replaced. */
async function existingFile({ output, check: isCheck }: TypesArguments) {
  const file = await readFile(output, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UsageError(`${output} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (isCheck || file === undefined || file.trimStart().startsWith(header)) return file;
  throw new UsageError(`${output} was not written by this command, so it is not replaced`);
}

function check({ output, json }: TypesArguments, file: string | undefined, now: Catalog): number {
  const changes = file === undefined ? [] : differences(readDeclaration(file), now);
  const upToDate = file !== undefined && changes.length === 0;
  if (json) {
    print(JSON.stringify({ file: output, models: sizeOf(now), upToDate, differences: changes }));
  } else if (upToDate) {
    print(`${output} is up to date: ${sizeOf(now)} models`);
  } else {
    const problem = file === undefined ? 'does not exist' : 'is out of date';
    print([`${output} ${problem}; run npx polygate types`, ...changes].join('\n'));
  }
  return upToDate ? 0 : 1;
}

/** Writes the file in one step: a compiler that watches it never sees a part of it. */
async function write({ output, json }: TypesArguments, catalog: Catalog): Promise<number> {
  // A symbolic link stays.
  const target = finalPath(output);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, declarationOf(catalog));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new UsageError(`${output} cannot be written: ${messageOf(error)}`, { cause: error });
  }
  const models = sizeOf(catalog);
  const advice = 'If `include` or `files` of tsconfig.json leaves the file out, add it there.';
  print(
    json
      ? JSON.stringify({ file: output, models })
      : `wrote ${output}: ${models} models. ${advice}`,
  );
  return 0;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The differences between the catalog of a file and that of the service, one line each. */
export function differences(before: Catalog, now: Catalog): string[] {
  const old = entriesOf(before);
  const current = entriesOf(now);
  return [
    ...[...old.keys()].filter((name) => !current.has(name)).map((name) => `- ${name}`),
    ...[...current].flatMap(([name, price]) => {
      const earlier = old.get(name);
      if (earlier === undefined) return `+ ${name}: ${price}`;
      return earlier === price ? [] : `~ ${name}: ${earlier} is now ${price}`;
    }),
  ];
}

/** The type and id of each model in the form of a literal, so that no id can forge a line, with its price. */
function entriesOf(catalog: Catalog): Map<string, string> {
  return new Map(
    [...catalog].flatMap(([type, models]) =>
      [...models].map(([id, { price, resolutions }]) => {
        const named = resolutions.map((resolution) => JSON.stringify(resolution)).join(', ');
        return [`${type} ${JSON.stringify(id)}`, named === '' ? price : `${price} (${named})`];
      }),
    ),
  );
}

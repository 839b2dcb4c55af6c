import { readFile, rename, rm, writeFile } from 'node:fs/promises';

import { ConfigurationError } from 'polygate';

import { finalPath } from '../../../integrations/node/final-path.ts';
import { version } from '../../../internal.ts';
import { messageOf, printError, UsageError } from '../arguments.ts';
import { createGateway } from '../gateway.ts';
import { resolveSettings } from '../settings.ts';
import { catalogOf, declarationOf, header, sizeOf } from './declaration.ts';
import type { Catalog } from './declaration.ts';
import { differences } from './differences.ts';
import { help, parseTypesArguments } from './options.ts';
import type { TypesArguments } from './options.ts';
import { readDeclaration } from './read-declaration.ts';

const command = 'polygate types';

/** Runs the command, and returns its exit code. */
export async function runTypes(args: string[]): Promise<number> {
  try {
    const options = parseTypesArguments(args);
    if (options.help || options.version) {
      process.stdout.write(options.help ? help : `${version}\n`);
      return 0;
    }
    const settings = resolveSettings(options.service, process.env);
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
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
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

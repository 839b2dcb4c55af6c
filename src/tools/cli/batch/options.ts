import { basename, dirname, join } from 'node:path';

import { anyOf, parseArguments, parseUsd, UsageError } from '../arguments.ts';
import { commandOptions, formats } from '../command-options.ts';
import { helpOf } from '../help.ts';
import { checkTemplate, checkReplaceable, FileNames, portable } from '../output-name.ts';
import { parseParams, parseKind } from '../params.ts';
import type { Format } from './table.ts';

export const help = (): string =>
  helpOf('batch', {
    about:
      'Generates one result per row of a table. It can be stopped at any time: the same command continues.',
    usage: ['npx polygate batch [options] <file>'],
    examples: [
      "npx polygate batch prompts.csv -m prism-image -o 'out/{id}.{ext}' \\\n  --max-usd 5",
      'npx polygate batch questions.csv -m aurora-chat --max-usd 1 \\\n  --column answer',
    ],
    notes: [
      'The file is CSV with a header (comma, semicolon or tab), or JSONL; - reads stdin. Columns: id, prompt (or text), model, system for chats, and any param of the kind. All rows are checked before anything is sent. Fields of the request apply to rows that do not set them.',
    ],
    exits: {
      0: 'every row has its result (with --partial, every row that --max-usd covers)',
      1: 'a row failed, or was not sent',
      2: 'an option or the table is invalid; nothing was sent',
      3: 'a row may have been charged and has no result yet: run the same command again. Only --resend-unknown sends a chat again, which can be charged twice',
    },
  });

/** The parsed options of the command. */
export type BatchArguments = ReturnType<typeof readOptions>;

/** Parses the arguments. Returns those with `--help` or `--version` as they are. Throws a `UsageError` if they are invalid. */
export function parseBatchArguments(
  args: string[],
): BatchArguments | { help?: boolean | undefined; version?: boolean | undefined } {
  const parsed = parseArguments(args, commandOptions.batch);
  if (parsed.values.help || parsed.values.version) return parsed.values;
  const options = readOptions(parsed);
  checkPaths(options);
  return options;
}

function readOptions({
  values,
  positionals: [given, ...others],
}: ReturnType<typeof parseArguments<typeof commandOptions.batch>>) {
  if (given === undefined || others.length > 0) {
    throw new UsageError('name one file, or - for stdin');
  }
  /** Path of the table; undefined for stdin. */
  const file = given === '-' ? undefined : given;
  if (file === undefined && values.journal === undefined) {
    throw new UsageError(
      'a table from stdin needs --journal <file>, from which the next run continues',
    );
  }
  const journal = values.journal ?? `${file}.polygate.jsonl`;
  return {
    service: values,
    file,
    model: values.model?.trim() || undefined,
    output: checkTemplate(values.output),
    /** Params of all rows, whose names are checked once the kind is known. */
    params: parseParams(values.param),
    /** Fields of any name. */
    fields: parseParams(values.field, '--field'),
    kind: parseKind(values.kind),
    format: parseFormat(values.format),
    column: parseColumn(values.column),
    journal,
    results: values.results ?? `${file ?? journal}.results.jsonl`,
    maxUsd: values['max-usd'] === undefined ? undefined : parseUsd('--max-usd', values['max-usd']),
    partial: values.partial ?? false,
    yes: values.yes ?? false,
    dryRun: values['dry-run'] ?? false,
    retryFailed: values['retry-failed'] ?? false,
    /** Whether the rows of the journal were sent by the account of the API key. */
    sameAccount: values['same-account'] ?? false,
    resendUnknown: values['resend-unknown'] ?? false,
    force: values.force ?? false,
    json: values.json ?? false,
  };
}

/** Refuses to write one file over another: without its journal, a batch would pay for all rows again. */
function checkPaths(options: BatchArguments): void {
  const names = new FileNames();
  const paths = ownPaths(options);
  const identities = paths.map((path) => names.identityOf(path));
  const repeated = paths.find((_, index) => identities.indexOf(identities[index] ?? '') !== index);
  if (repeated !== undefined) {
    throw new UsageError(
      `${repeated} is named twice: the table, the journal, its list of files, the results and the copy of the table must be different files`,
    );
  }
  for (const path of paths) if (path !== options.file) checkReplaceable(path);
}

/** The files that a batch reads and writes, apart from the results of its rows. */
export function ownPaths(options: BatchArguments): string[] {
  const { file, journal } = options;
  const own = [journal, recordPath(options), ...outputsOf(options)];
  return file === undefined ? own : [...own, file];
}

/** The files that a batch replaces at the end of each run. */
export function outputsOf(options: BatchArguments): string[] {
  const { results, column } = options;
  return column === undefined ? [results] : [results, copyName(options)];
}

/** The path of the record of files, which belongs to the journal. */
export const recordPath = ({ journal }: Pick<BatchArguments, 'journal'>): string =>
  `${journal}.files`;

/** A name for the column of answers, which becomes a part of the name of a file. */
function parseColumn(name: string | undefined): string | undefined {
  if (name === undefined || (/^[^/\\\p{C}]{1,100}$/u.test(name) && name.trim() !== '')) return name;
  throw new UsageError(
    '--column must be a name of 1 to 100 printable characters without slashes: it becomes a part of the name of a file',
  );
}

function parseFormat(text: string | undefined): Format | undefined {
  const format = formats.find((known) => known === text);
  if (text === undefined || format !== undefined) return format;
  throw new UsageError(`--format must be ${anyOf(formats)}, not ${text}`);
}

/** The name of the copy of the table that has the answers: `prompts.answer.csv`. */
export function copyName({ file, journal, column, format }: BatchArguments): string {
  const source = file ?? `${journal}.${format ?? 'csv'}`;
  const [, name = source, extension = ''] = /^(.+?)(\.[^.]*)?$/.exec(basename(source)) ?? [];
  return join(dirname(source), `${name}.${portable(column ?? '')}${extension}`);
}

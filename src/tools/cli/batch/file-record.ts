import { statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';

import { fileJournal } from 'polygate/journal';

import type { JournalContent } from '../../../internal.ts';
import { isNonEmptyString, isRecord } from '../../../wire/types/type-guards.ts';
import { parseJsonOr, UsageError } from '../arguments.ts';
import { isSameService } from '../task-store.ts';
import { folderOf, isInside } from './output-names.ts';

/** A file that this batch has saved. */
export interface RecordedFile {
  readonly path: string;
  /** Its size when it was saved. */
  readonly bytes: number;
}

/** The files of a row that this batch has saved, or is about to save. */
export interface RowFiles {
  /** Template of the names. */
  readonly template: string;
  /** Fingerprint of the request that they are the results of. */
  readonly hash: string;
  /** Undefined while they are being saved. */
  readonly files?: readonly RecordedFile[] | undefined;
  readonly urls?: readonly string[] | undefined;
}

/**
 * Where a batch has sent its rows and which files it has written, in a file next to its journal. Paths in it are
 * relative to its folder, so that they name the same files if the command runs in another one. An entry is durable
 * before a file gets its name, so that after a kill, files of this batch can be distinguished from those of others.
 */
export class FileRecord {
  readonly #path: string;
  readonly #folder: string;
  readonly #journal: ReturnType<typeof fileJournal>;
  readonly #rows = new Map<string, RowFiles>();
  readonly #outputs = new Set<string>();
  #service: JournalService | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#folder = dirname(resolve(path));
    this.#journal = fileJournal(path);
  }

  /** Where the last run has sent its rows; undefined if that is not recorded. */
  get service(): JournalService | undefined {
    return this.#service;
  }

  /** Reads the entries. The last one of a row counts. Throws a `UsageError` if the file is not a record. */
  async read(): Promise<void> {
    let isOurs = true;
    for await (const text of this.#journal.read()) {
      const line = parseJsonOr(text);
      // A line can be torn. The row is then saved again.
      isOurs &&= isRecord(line) ? this.#add(line) : text.trim() === '' || text.startsWith('{');
    }
    if (!isOurs) throw new UsageError(`${this.#path} exists, and this batch did not write it`);
  }

  /**
   * The files of a row, by its id in the journal, if they are the results of its request under the names of a template.
   */
  get(id: string, { template, hash }: Pick<RowFiles, 'template' | 'hash'>): RowFiles | undefined {
    const row = this.#rows.get(id);
    if (row === undefined || row.hash !== hash || row.template !== this.#stored(template)) {
      return undefined;
    }
    // A record that was edited, or comes from somewhere else, must not name any other file.
    const isOurs = ({ path }: RecordedFile) =>
      isInside(resolve(this.#folder, path), folderOf(template));
    if (row.files?.every(isOurs) === false) return undefined;
    const files = row.files?.map(({ path, bytes }) => ({
      path: this.#shown(path, template),
      bytes,
    }));
    return { ...row, template, files };
  }

  /** Whether this batch writes a file that is not the result of a row, such as that with all results. */
  has(output: string): boolean {
    return this.#outputs.has(this.#stored(output));
  }

  /** Records where rows are sent from now on. When this resolves, the entry survives a crash. */
  async recordService({ baseURL, account, run }: JournalService): Promise<void> {
    const { baseURL: lastURL, account: lastAccount, run: lastRun } = this.#service ?? {};
    if (lastURL === baseURL && lastAccount === account && lastRun === run) return;
    const service = { baseURL, account, run };
    await this.#append({ service });
    this.#service = service;
  }

  /** Records that a file is written by this batch, before it is. */
  async recordOutput(output: string): Promise<void> {
    if (this.has(output)) return;
    await this.#append({ output: this.#stored(output) });
    this.#outputs.add(this.#stored(output));
  }

  /** Records the files of a row. When this resolves, the entry survives a crash. */
  async record(id: string, { template, hash, files, urls }: RowFiles): Promise<void> {
    const row: RowFiles = {
      template: this.#stored(template),
      hash,
      files: files?.map(({ path, bytes }) => ({ path: this.#stored(path), bytes })),
      urls,
    };
    await this.#append({ id, ...row });
    this.#rows.set(id, row);
  }

  #append(line: object): Promise<void> {
    return this.#journal.append(JSON.stringify(line));
  }

  /** Adds an entry. Returns whether it is one. */
  #add(line: Record<string, unknown>): boolean {
    if (isService(line.service)) this.#service = line.service;
    else if (isNonEmptyString(line.output)) this.#outputs.add(line.output);
    else if (isNonEmptyString(line.id) && isRowFiles(line)) this.#rows.set(line.id, line);
    else return false;
    return true;
  }

  #stored(path: string): string {
    return relative(this.#folder, resolve(path));
  }

  /** A path as users expect it: relative to the working folder, if that of the template is. */
  #shown(stored: string, template: string): string {
    const path = resolve(this.#folder, stored);
    return isAbsolute(template) ? path : relative(process.cwd(), path);
  }
}

/** Whether all files of a row are there. */
export const areComplete = ({ files }: RowFiles): boolean => files?.every(isComplete) ?? false;

/** Whether a file is there. One that has become larger was edited, which is not an error. */
export function isComplete({ path, bytes }: RecordedFile): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  return size !== undefined && size >= bytes;
}

/** The part of saved files that is recorded. */
export const toRecord = (files: readonly RecordedFile[]): RecordedFile[] =>
  files.map(({ path, bytes }) => ({ path, bytes }));

function isRowFiles(value: Record<string, unknown>): value is Record<string, unknown> & RowFiles {
  const { template, hash, files = [], urls = [] } = value;
  return (
    [template, hash].every(isNonEmptyString) &&
    Array.isArray(files) &&
    files.every((file) => isRecord(file) && isNonEmptyString(file.path)) &&
    Array.isArray(urls) &&
    urls.every(isNonEmptyString)
  );
}

/** Where rows are sent, and who pays for them. */
export interface Service {
  readonly baseURL: string;
  /** Identifies the API key without containing it. */
  readonly account: string;
}

/** The service of a journal. */
export interface JournalService extends Service {
  /** The id of the run of the journal. */
  readonly run: string;
}

/** Whether a value is a service. */
function isService(value: unknown): value is JournalService {
  return isRecord(value) && [value.baseURL, value.account, value.run].every(isNonEmptyString);
}

/**
 * Refuses to continue a journal where its rows would be paid for again: another service or account does not know their keys.
 * A row that was certainly not charged can be sent anywhere. An API key of the same account can read the tasks of another.
 *
 * @throws `UsageError` if the journal must not be continued.
 */
export function checkService({
  now,
  before,
  journal,
  isSameAccount,
}: {
  /** The service of this run. */
  readonly now: Service;
  /** The service of the last run; undefined if that is not recorded. */
  readonly before: JournalService | undefined;
  readonly journal: JournalContent;
  /** Whether the user says that the rows of the journal were sent by the account of this run. */
  readonly isSameAccount: boolean;
}): void {
  const rows = [...journal.rows.values()];
  const isUsed = journal.isDamaged || rows.some(({ mayBeCharged }) => mayBeCharged);
  if (!isUsed) return;
  // The record can be that of another journal, which was here before.
  if (before === undefined || before.run !== journal.run) {
    if (isSameAccount) return;
    throw new UsageError(
      `the journal does not say which service its rows were sent to. If it was ${now.baseURL}, with this API key or another one of its account, add --same-account. Otherwise, they could be charged a second time`,
    );
  }
  if (!isSameService(before.baseURL, now.baseURL)) {
    throw new UsageError(
      `the rows of the journal were sent to ${before.baseURL}, so that ${now.baseURL} could charge them a second time: use --base-url ${before.baseURL}, or another --journal`,
    );
  }
  const open = rows.filter(({ needsReplay }) => needsReplay).length;
  if (before.account === now.account || isSameAccount) return;
  if (open === 0 && !journal.isDamaged) return;
  const [what, verb] =
    open === 1
      ? ['a row of the journal', 'was']
      : [`${open === 0 ? 'rows on damaged lines' : `${open} rows`} of the journal`, 'were'];
  throw new UsageError(
    `${what} ${verb} sent with another API key, and may have been charged. Sent with this one, it could be charged a second time: use the other key or, if both belong to one account, add --same-account`,
  );
}

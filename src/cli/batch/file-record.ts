import { statSync } from 'node:fs';

import { fileJournal } from 'polygate/journal';
import type { SavedFile } from 'polygate/node';

import { isNonEmptyString, isRecord } from '../../types/type-guards.ts';

/** The files of a row that this batch has saved, or is about to save. */
export interface RowFiles {
  /** Template of the names. */
  readonly template: string;
  /** Fingerprint of the request that they are the results of. */
  readonly hash: string;
  /** Undefined while they are being saved. */
  readonly files?: readonly { readonly path: string; readonly bytes: number }[] | undefined;
  readonly urls?: readonly string[] | undefined;
}

/**
 * Which files a batch has written, in a file next to its journal. An entry is durable before a file gets its name, so that
 * after a kill, files of this batch can be distinguished from those of others.
 */
export class FileRecord {
  readonly #journal: ReturnType<typeof fileJournal>;
  readonly #rows = new Map<string, RowFiles>();

  constructor(path: string) {
    this.#journal = fileJournal(path);
  }

  /** Reads the entries. The last one of a row counts. */
  async read(): Promise<void> {
    for await (const text of this.#journal.read()) {
      try {
        const line: unknown = JSON.parse(text);
        if (isRecord(line) && isNonEmptyString(line.id) && isRowFiles(line)) {
          this.#rows.set(line.id, line);
        }
      } catch {
        // The last line can be torn. The row is then saved again.
      }
    }
  }

  /** The files of a row, by its id in the journal. */
  get(id: string): RowFiles | undefined {
    return this.#rows.get(id);
  }

  /** Records the files of a row. When this resolves, the entry survives a crash. */
  async record(id: string, files: RowFiles): Promise<void> {
    await this.#journal.append(JSON.stringify({ id, ...files }));
    this.#rows.set(id, files);
  }
}

/** Whether all files of a row are there. A file that has become larger was edited, which is none of our business. */
export function areComplete({ files }: RowFiles): boolean {
  return (
    files !== undefined &&
    files.every(({ path, bytes }) => {
      const size = statSync(path, { throwIfNoEntry: false })?.size;
      return size !== undefined && size >= bytes;
    })
  );
}

/** The part of saved files that is recorded. */
export const toRecord = (files: readonly SavedFile[]) =>
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

import { readFile } from 'node:fs/promises';

import { ConfigurationError } from '../../errors/base.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import type { EntryName, Tables } from '../proxy/store/memory-store.ts';
import { codeOf } from './final-path.ts';

/** The first line of a file. */
export const fileHeader = '{"polygate":"proxy store","version":1}\n';

/** A change in the file: the table, the name of the entry, and its value, which is null if it was removed. */
type Line = readonly (readonly [table: keyof Tables, name: string, value: unknown])[];

/** The line for some entries. They are in one line, so that a crash cannot separate them. */
export function entryLine(tables: Tables, names: readonly EntryName[]): string {
  const line: Line = names.map(([table, name]) => [table, name, valueOf(tables, table, name)]);
  return `${JSON.stringify(line)}\n`;
}

function valueOf(tables: Tables, table: keyof Tables, name: string): unknown {
  const value = tables[table].get(name) ?? null;
  if (table !== 'attempts') return toPlain(value);
  const attempt = tables.attempts.get(name);
  return attempt ? { ...attempt, at: attempt.at + monotonicOffset() } : null;
}

/** What turns a monotonic time, which only one process knows, into a date. */
const monotonicOffset = () => Date.now() - performance.now();

/** Maps become lists of entries. */
function toPlain(value: unknown): unknown {
  if (value instanceof Map) {
    const map: ReadonlyMap<unknown, unknown> = value;
    return { map: Array.from(map, ([key, item]) => [key, toPlain(item)]) };
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
}

function fromPlain(value: unknown): unknown {
  if (!isRecord(value)) return value;
  if (Array.isArray(value.map)) {
    const entries: readonly (readonly [unknown, unknown])[] = value.map;
    return new Map(entries.map(([key, item]) => [key, fromPlain(item)]));
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromPlain(item)]));
}

/**
 * Reads a file into tables. A last line without an end was being written when the process died: what it records was never
 * confirmed, so it does not count.
 *
 * @returns the length of what was read, in bytes.
 * @throws `ConfigurationError` if the file is damaged, or is another one. It is not changed.
 */
export async function readTables(path: string, tables: Tables): Promise<number> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  if (text === '' || fileHeader.startsWith(text)) return 0;
  if (!text.startsWith(fileHeader)) {
    throw new ConfigurationError(
      `fileStore: '${path}' is not a file of this version of the store. It was not changed.`,
    );
  }
  const end = text.lastIndexOf('\n') + 1;
  const lines = text.slice(fileHeader.length, end).split('\n').slice(0, -1);
  for (const [index, line] of lines.entries()) {
    try {
      for (const [table, name, value] of parseLine(line)) apply(tables, table, name, value);
    } catch (error) {
      throw new ConfigurationError(
        `fileStore: line ${index + 2} of '${path}' is damaged. The file was not changed. Restore it from a backup, or move it away: then spending starts at 0, and users cannot reach their earlier tasks.`,
        { cause: error },
      );
    }
  }
  // No request of another process is in flight any more. Each may have been charged.
  for (const { inFlight } of tables.users.values()) {
    for (const flight of inFlight.values()) flight.leaseEndsAt = -Infinity;
  }
  return Buffer.byteLength(text.slice(0, end));
}

function parseLine(line: string): Line {
  const entries: unknown = JSON.parse(line);
  const isLine =
    Array.isArray(entries) &&
    entries.every(
      (entry) => Array.isArray(entry) && /^(users|attempts|keys|owners)$/.test(String(entry[0])),
    );
  if (!isLine) throw new Error('It has no entries.');
  return unchecked<Line>(entries);
}

function apply(tables: Tables, table: keyof Tables, name: string, value: unknown): void {
  tables[table].delete(name);
  if (value === null) return;
  if (table !== 'attempts') {
    unchecked<Map<string, unknown>>(tables[table]).set(name, fromPlain(value));
    return;
  }
  const attempt = unchecked<{ at: number; request: string }>(value);
  // If the clock has moved backwards since then, the attempt would be remembered for too long.
  const at = Math.min(performance.now(), attempt.at - monotonicOffset());
  tables.attempts.set(name, { ...attempt, at });
}

import { ConfigurationError } from '../errors/configuration.ts';
import type { Generation, SucceededGeneration } from '../types/tasks/task.ts';
import type { Announcements } from './redis/announcements.ts';
import { isBug } from './redis/outage.ts';
import type { RowIndex } from './redis/row-index.ts';
import type { RowStore } from './redis/row-store.ts';
import { isEnded } from './row.ts';
import type { EndedRow, Row, RowError } from './row.ts';
import type { StoredRow } from './stored-row.ts';

/** How many ended rows are read at a time. */
const pageSize = 100;

/** Where results are read. */
export interface ResultSource {
  readonly rows: RowStore;
  readonly index: RowIndex;
}

/**
 * Yields the rows that ended after the one with the given number, in the order in which they ended, until `isClosed`.
 * Outages of Redis only delay them.
 */
export async function* endedRows(
  source: ResultSource,
  announcements: Announcements,
  after: Promise<number>,
  isClosed: () => boolean,
): AsyncGenerator<EndedRow, void, undefined> {
  const watch = announcements.watch();
  try {
    let last = await after;
    while (!isClosed()) {
      const page = await readPage(source, last);
      if (page === undefined) await watch.next();
      else {
        ({ last } = page);
        for (const row of page.rows) {
          const ended = row && toEndedRow(row);
          if (ended) yield ended;
        }
      }
    }
  } finally {
    watch.stop();
  }
}

/** Rows that have ended, and the number of the last one. */
interface Page {
  readonly rows: readonly (StoredRow | undefined)[];
  readonly last: number;
}

/** Reads the rows that ended after the given number; undefined if there are none, or Redis cannot be read. */
async function readPage({ rows, index }: ResultSource, after: number): Promise<Page | undefined> {
  try {
    const page = await index.endedAfter(after, pageSize);
    const last = page.at(-1)?.[1];
    if (last === undefined) return undefined;
    const jobIds = page.map(([jobId]) => jobId);
    const ended = await rows.readJobs(jobIds);
    const numbers = await index.endNumbers(jobIds);
    // A row that was retried and has ended again follows under its new number. Without a number, it was removed or retried
    // meanwhile: if it was read before that, its end is still to be yielded.
    const isCurrent = page.map(([, number], at) => (numbers[at] ?? number) === number);
    return { rows: ended.filter((_, at) => isCurrent[at]), last };
  } catch (error) {
    // A row that cannot be read, unlike Redis, stays so: its result must not be left out.
    if (isBug(error) || ConfigurationError.is(error)) throw error;
    return undefined;
  }
}

export function toRow<Status extends Row['status']>(
  { data, state, key }: StoredRow,
  status: Status,
): Row & { readonly status: Status } {
  const { id, kind } = data;
  const { receipt, generation, completion } = state;
  const result = status === 'succeeded' ? reviveGeneration(generation) : undefined;
  const idempotencyKey = kind === 'chat' ? undefined : key;
  const error = kind === 'chat' ? withoutKey(state.error, key) : state.error;
  return { id, kind, status, idempotencyKey, receipt, generation: result, completion, error };
}

/** Earlier versions stored the key of a row in the error of its chat, although no request has carried it. */
const withoutKey = (error: RowError | undefined, key: string): RowError | undefined =>
  error?.idempotencyKey === key ? { ...error, idempotencyKey: undefined } : error;

/** A row in its final state; undefined if it has none, for example because a retry has moved it back to `waiting`. */
export function toEndedRow(row: StoredRow): EndedRow | undefined {
  return isEnded(row.status) ? toRow(row, row.status) : undefined;
}

/** JSON has no dates. */
function reviveGeneration(generation: Generation | undefined): SucceededGeneration | undefined {
  if (generation?.status !== 'succeeded') return undefined;
  const { createdAt } = generation;
  return { ...generation, createdAt: createdAt && new Date(createdAt) };
}

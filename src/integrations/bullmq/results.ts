import { ConfigurationError } from '../../errors/base.ts';
import type { Generation, SucceededGeneration } from '../../wire/types/tasks/task.ts';
import type { QueueConnection } from './queue-connection.ts';
import type { Announcements } from './redis/announcements.ts';
import { isBug, withinTime } from './redis/connection.ts';
import type { RowIndex } from './redis/row-index.ts';
import type { RowStore } from './redis/row-store.ts';
import { readRow } from './row-calls.ts';
import { isEnded, jobIdOf } from './row.ts';
import type { EndedRow, Row, RowError, StoredRow } from './row.ts';

/** How many ended rows are read at a time. */
const pageSize = 100;

/** Where results are read. */
interface ResultSource {
  readonly rows: RowStore;
  readonly index: RowIndex;
  readonly announcements: Announcements;
  readonly isClosed: boolean;
}

/**
 * Yields the rows that ended after the one with the given number, in the order in which they ended, until the source is
 * closed. Outages of Redis only delay them.
 */
export async function* endedRows(
  source: ResultSource,
  after: Promise<number>,
): AsyncGenerator<EndedRow, void, undefined> {
  const watch = source.announcements.watch();
  try {
    let last = await after;
    while (!source.isClosed) {
      const page = await nextPage(source, last);
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

/**
 * Reads the rows that ended after the given number; undefined if there are none, or Redis cannot be read in time: the
 * source may have been closed meanwhile.
 */
async function nextPage(source: ResultSource, after: number): Promise<Page | undefined> {
  try {
    return await withinTime(readPage(source, after));
  } catch (error) {
    // A row that cannot be read, unlike Redis, stays so: its result must not be left out.
    if (isBug(error) || ConfigurationError.is(error)) throw error;
    return undefined;
  }
}

async function readPage({ rows, index }: ResultSource, after: number): Promise<Page | undefined> {
  const page = await index.endedAfter(after, pageSize);
  const last = page.at(-1)?.[1];
  if (last === undefined) return undefined;
  const jobIds = page.map(([jobId]) => jobId);
  const ended = await rows.readJobs(jobIds);
  const numbers = await index.endNumbers(jobIds);
  // A row that was retried and has ended again follows under its new number. Without a number, it was removed or
  // retried meanwhile: if it was read before that, its end is still to be yielded.
  const isCurrent = page.map(([, number], at) => (numbers[at] ?? number) === number);
  return { rows: ended.filter((_, at) => isCurrent[at]), last };
}

/**
 * Waits until a row has ended.
 *
 * @throws `ConfigurationError` if there is no such row, or the queue is closed; `ConnectionError`.
 */
export async function endOf(connection: QueueConnection, id: string): Promise<EndedRow> {
  const watch = connection.announcements.watch(jobIdOf(id));
  try {
    for (;;) {
      const row = await connection.call(() => readRow(connection.rows, id));
      const ended = toEndedRow(row);
      if (ended) return ended;
      await watch.next();
    }
  } finally {
    watch.stop();
  }
}

/** A row as callers see it. */
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
function toEndedRow(row: StoredRow): EndedRow | undefined {
  return isEnded(row.status) ? toRow(row, row.status) : undefined;
}

/** JSON has no dates. */
function reviveGeneration(generation: Generation | undefined): SucceededGeneration | undefined {
  if (generation?.status !== 'succeeded') return undefined;
  const { createdAt } = generation;
  return { ...generation, createdAt: createdAt && new Date(createdAt) };
}

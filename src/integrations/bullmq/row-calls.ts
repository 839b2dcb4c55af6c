import { ConfigurationError } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/call.ts';
import { rowKey } from '../../internal.ts';
import type { Generation, SucceededGeneration } from '../../wire/types/tasks/task.ts';
import { afterRetry, needsNewKey } from './decisions/plan.ts';
import type { QueueConnection } from './queue-connection.ts';
import type { Announcements } from './redis/announcements.ts';
import { isBug, withinTime } from './redis/connection.ts';
import type { QueueState } from './redis/queue-state.ts';
import type { RowStore } from './redis/row-store.ts';
import { isEnded, jobIdOf } from './row.ts';
import type { EndedRow, Row, RowError, StoredRow } from './row.ts';

/** How often to look whether a worker has recorded the end of a row, in ms. */
const busyInterval = 100;

/** For how long, in ms: less than the time limit of a call, which would end without saying what it waits for. */
const maxBusyTime = 10_000;

/** What the caller of a retry knows of the row: its turn, once it was read. */
export interface SeenRow {
  turn: string | undefined;
}

/** How a row is retried. */
interface Retry {
  readonly id: string;
  /** Whether it gets a new key, and is charged again. */
  readonly isAnew: boolean;
  /** How long to wait for its task, in ms. */
  readonly waitTimeout: number;
  /** What the caller wants to retry. */
  readonly seen: SeenRow;
  /** How long to wait for the worker that records its failure, in ms. */
  readonly busyTime?: number | undefined;
}

/**
 * Reopens a failed or unknown row. Waits while its worker is still recording the failure in BullMQ. Once another call
 * has retried the row, this one rejects, even if the row has failed again: its caller does not know of that failure,
 * and could pay for another task.
 *
 * @throws `ConfigurationError`; `ConnectionError` if the failure is not recorded in time.
 */
export async function retryRow(
  rows: RowStore,
  { id, isAnew, waitTimeout, seen, busyTime = maxBusyTime }: Retry,
): Promise<void> {
  const giveUpAt = performance.now() + busyTime;
  for (;;) {
    const row = await readRow(rows, id);
    seen.turn ??= row.turn;
    if (row.turn !== seen.turn) throw notRetried(id, 'was retried by another call');
    // Derived, so that a retry that Redis has forgotten and that is repeated is not charged again.
    const newKey = needsNewKey(row.data.kind, isAnew) ? await rowKey(row.key, 'anew') : undefined;
    const result = await rows.retry(row, afterRetry(row, newKey, await rows.now(), waitTimeout));
    if (result === 'ok') return;
    if (result !== 'busy') {
      throw notRetried(id, result === 'missing' ? 'was removed' : `is ${result}`);
    }
    if (performance.now() >= giveUpAt) {
      throw new ConnectionError(
        `row ${id}: no worker has recorded its failure yet. Nothing was changed or sent. Start a worker, and retry the row later.`,
        { outcome: 'not-sent' },
      );
    }
    await new Promise((resolve) => void setTimeout(resolve, busyInterval));
  }
}

const notRetried = (id: string, reason: string) =>
  new ConfigurationError(
    `row ${id}: ${reason}. Only failed and unknown rows can be retried. Nothing was sent.`,
  );

/**
 * Removes a row, if there is one with this id.
 *
 * @throws `ConfigurationError` while it is submitting or running.
 */
export async function removeRow(rows: RowStore, id: string): Promise<void> {
  for (;;) {
    const row = await rows.read(id);
    const result = row ? await rows.remove(row) : 'removed';
    if (result === 'removed') return;
    // A row that has changed since it was read is read again.
    if (result !== 'changed') {
      throw new ConfigurationError(
        `row ${id}: is submitting or running, so it cannot be removed. Wait for queue.result(id) first.`,
      );
    }
  }
}

/**
 * Reads a row that must exist.
 *
 * @throws `ConfigurationError`
 */
async function readRow(rows: RowStore, id: string): Promise<StoredRow> {
  const row = await rows.read(id);
  if (row) return row;
  throw new ConfigurationError(`row ${id}: is not in this queue.`);
}

/** How many ended rows are read at a time. */
const pageSize = 100;

/** Where results are read. */
interface ResultSource {
  readonly rows: RowStore;
  readonly state: QueueState;
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

async function readPage({ rows, state }: ResultSource, after: number): Promise<Page | undefined> {
  const page = await state.endedAfter(after, pageSize);
  const last = page.at(-1)?.[1];
  if (last === undefined) return undefined;
  const jobIds = page.map(([jobId]) => jobId);
  const ended = await rows.readJobs(jobIds);
  const numbers = await state.endNumbers(jobIds);
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

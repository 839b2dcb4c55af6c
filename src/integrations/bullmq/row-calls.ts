/** What callers do with one row. */
import { ConfigurationError } from '../../errors/base.ts';
import { ConnectionError } from '../../errors/call.ts';
import { rowKey } from '../../internal.ts';
import { afterRetry, needsNewKey } from './decisions/plan.ts';
import type { RowStore } from './redis/row-store.ts';
import type { StoredRow } from './row.ts';

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
export async function readRow(rows: RowStore, id: string): Promise<StoredRow> {
  const row = await rows.read(id);
  if (row) return row;
  throw new ConfigurationError(`row ${id}: is not in this queue.`);
}

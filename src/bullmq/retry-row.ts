import { ConfigurationError } from '../errors/configuration.ts';
import { ConnectionError } from '../errors/connection.ts';
import { rowKey } from '../internal/row-driver.ts';
import { afterRetry } from './decisions/retry.ts';
import type { RowStore, StoredRow } from './redis/store.ts';
import { jobIdOf } from './row.ts';

/** How often to look whether a worker has recorded the end of a row, in ms. */
const busyInterval = 100;

/** For how long, in ms: less than the time limit of a call, so that nothing is retried after the call has rejected. */
const maxBusyTime = 10_000;

/**
 * Reopens a failed or unknown row. Waits while its worker is still recording the failure in BullMQ.
 *
 * @throws `ConfigurationError`; `ConnectionError` if the failure is not recorded in time.
 */
export async function retryRow(
  store: RowStore,
  id: string,
  anew: boolean,
  waitTimeout: number,
  busyTime = maxBusyTime,
): Promise<void> {
  const giveUpAt = performance.now() + busyTime;
  for (;;) {
    const row = await readRow(store, id);
    // Derived, so that a retry that Redis has forgotten and that is repeated is not charged again.
    // A chat that is sent again may be charged again, as if it had a new key.
    const isChat = row.data.kind === 'chat';
    const newKey = anew || isChat ? await rowKey(row.key, 'anew') : undefined;
    const next = afterRetry(row, newKey, await store.now(), waitTimeout);
    const { mayBeCharged } = row.state;
    const change = isChat ? { ...next, state: { ...next.state, mayBeCharged } } : next;
    const result = await store.retry(jobIdOf(id), row.key, change, row.turn);
    if (result === 'ok') return;
    if (result !== 'busy') {
      const reason = result === 'missing' ? 'was removed' : `is ${result}`;
      throw new ConfigurationError(
        `row ${id}: ${reason}. Only failed and unknown rows can be retried. Nothing was sent.`,
      );
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

/**
 * Reads a row that must exist.
 *
 * @throws `ConfigurationError`
 */
export async function readRow(store: RowStore, id: string): Promise<StoredRow> {
  const row = await store.read(id);
  if (row) return row;
  throw new ConfigurationError(`row ${id}: is not in this queue.`);
}

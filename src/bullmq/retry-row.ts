import { ConfigurationError } from '../errors/configuration.ts';
import { afterRetry } from './decisions.ts';
import { jobIdOf } from './row.ts';
import type { RowStore, StoredRow } from './store.ts';

/** How often to look whether a worker has recorded the end of a row, in ms. */
const busyInterval = 100;

/**
 * Takes a failed or unknown row up again. Waits while its worker is still recording the failure in BullMQ.
 *
 * @throws {@link ConfigurationError}
 */
export async function retryRow(
  store: RowStore,
  id: string,
  anew: boolean,
  waitTimeout: number,
): Promise<void> {
  for (;;) {
    const row = await readRow(store, id);
    const next = afterRetry(row, anew, await store.now(), waitTimeout);
    const result = await store.retry(jobIdOf(id), row.key, next);
    if (result === 'ok') return;
    if (result !== 'busy') {
      const reason = result === 'missing' ? 'was removed' : `is ${result}`;
      throw new ConfigurationError(
        `row ${id}: ${reason}. Only failed and unknown rows can be retried. Nothing was sent.`,
      );
    }
    await new Promise((resolve) => void setTimeout(resolve, busyInterval));
  }
}

/**
 * Reads a row that must exist.
 *
 * @throws {@link ConfigurationError}
 */
export async function readRow(store: RowStore, id: string): Promise<StoredRow> {
  const row = await store.read(id);
  if (row) return row;
  throw new ConfigurationError(`row ${id}: is not in this queue.`);
}

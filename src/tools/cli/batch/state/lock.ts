import type { Journal } from 'polygate';

import { finalPath } from '../../../../integrations/node/final-path.ts';
import { prepareFolder } from '../../files/save-results.ts';

/** A journal that only this process uses. */
export interface LockedJournal {
  readonly journal: Journal;
  readonly unlock: () => Promise<void>;
}

/**
 * Locks a journal from before it is read until the results are written, so that two processes never save the same row.
 *
 * @throws `ConfigurationError` with the id of the other process that uses it.
 */
export async function lockJournal(journal: Journal, path: string): Promise<LockedJournal> {
  prepareFolder(finalPath(path));
  const unlock = await journal.lock?.();
  if (unlock === undefined) return { journal, unlock: () => Promise.resolve() };
  // The batch locks it again.
  const lock = () => Promise.resolve(() => Promise.resolve());
  return { journal: { ...journal, lock }, unlock };
}

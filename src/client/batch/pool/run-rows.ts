import { throwToCaller } from '../../config/caller.ts';
import { whenAborted } from '../../config/clock.ts';
import type { RowResult } from '../results.ts';
import type { RunContext } from '../run/context.ts';
import { ProgressReporter, toProgress } from '../run/progress.ts';
import { runAbortedError, runPausedError } from './end-errors.ts';
import { RowPool } from './row-pool.ts';
import type { RowSource } from './row-source.ts';

/**
 * Reads rows while the limits allow, works on them concurrently, and yields each result as soon as it is available.
 * An error of the source is thrown after the results of all rows that were read before. So is the error that ends a
 * paused run, in place of any error of the source. If the caller aborts, the results of all rows that have finished
 * are yielded, then an error with the other rows is thrown. If the caller leaves, chats in flight are read to their end.
 */
export async function* runRows<Result extends RowResult>(
  source: RowSource<Result>,
  context: RunContext,
): AsyncGenerator<Result, void, undefined> {
  const { config, journal, budget, signal, onProgress } = context;
  const pool = new RowPool(source, context, () => progress.update());
  const progress = new ProgressReporter(config, onProgress, () =>
    toProgress(source.countRows(), pool.counts, budget),
  );
  const stopListening = whenAborted(signal, (reason) => pool.stop(reason));
  try {
    const reading = signal?.aborted ? undefined : pool.readAll();
    // Not an unhandled rejection: the loop below throws it at the end, or no caller is left to report it to.
    reading?.catch(() => undefined);
    for (;;) {
      const step = pool.nextStep();
      switch (step.type) {
        case 'yield':
          yield step.result;
          // The generator resumes once the caller has taken the result.
          pool.take();
          break;
        case 'wait':
          await pool.nextChange();
          break;
        case 'abort':
          throw runAbortedError(signal?.reason, { open: pool.open, unread: journal.unread });
        case 'pause':
          // Not the error of the source, which may never yield another row.
          throw runPausedError(step.reason, { ...pool.pausedRows, unread: journal.unread });
        case 'end':
          return await reading;
      }
    }
  } catch (error) {
    throwToCaller(error);
  } finally {
    // An abort still ends the chats in flight at once.
    await pool.leave();
    stopListening();
    progress.end();
  }
}

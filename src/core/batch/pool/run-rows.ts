import { AbortedError } from '../../../errors/aborted.ts';
import { throwToCaller } from '../../call/caller-stack.ts';
import { whenAborted } from '../../config/clock.ts';
import type { RowResult } from '../results.ts';
import type { RowState } from '../row/row.ts';
import type { BatchContext } from '../run/context.ts';
import { batchAbortedError } from './open-rows.ts';
import { isPaused, pausedError } from './paused-rows.ts';
import type { PausedResult } from './paused-rows.ts';
import { ProgressReporter, toProgress } from './progress.ts';

/** How a row ended. */
interface RowEnd<Result extends RowResult> {
  readonly result: Result;
  /** Whether the journal has the task or the completion of the row, so that its end can be recorded. */
  readonly isDurable: boolean;
  /** The status that an earlier process recorded, if the row had finished. */
  readonly recorded?: string | undefined;
}

/** What is known about the rows. */
interface SourceOptions {
  /** Returns the number of rows, if it is known. */
  readonly countRows: () => number | undefined;
  /** Whether no more rows are pulled once the batch has paused. Those in flight are finished and yielded. */
  readonly endsAtPause: boolean;
}

/**
 * Pulls rows while the limits allow, works on them concurrently, and yields each result as soon as it is available.
 * An error of the source is thrown after the results of all rows that were pulled before. So is the error that ends a
 * paused batch, in place of any error of the source. If the caller aborts, the results of all rows that have finished
 * are yielded, then an error with the other rows is thrown.
 *
 * @param work - Returns how a row ended. Must not reject. `controller` is aborted when results are no longer wanted:
 * the caller aborted, or stopped iterating. `markIdle` marks the row as idle: it still waits for its result, but no
 * longer counts as active.
 */
export async function* runConcurrently<
  Row extends { readonly item: RowState },
  Result extends RowResult,
>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  work: (row: Row, controller: AbortController, markIdle: () => void) => Promise<RowEnd<Result>>,
  context: BatchContext,
  { countRows, endsAtPause }: SourceOptions,
): AsyncGenerator<Result, void, undefined> {
  const { config, slots, journal, budget, signal, maxInFlight, pause, onProgress } = context;
  /** The controllers of all rows without a result. */
  const running = new Set<AbortController>();
  /** Those of rows that are not idle. */
  const active = new Set<AbortController>();
  /** All rows without a result that were pulled, or that are in an array, as those of a recovery are. */
  const open = new Set<RowState>(Array.isArray(rows) ? rows.map(({ item }: Row) => item) : []);
  /** Results that the caller has not taken. */
  const results: RowEnd<Result>[] = [];
  /** Rows that a 402 kept from being submitted. They are not yielded. */
  const paused: PausedResult[] = [];
  const ended = { done: 0, failed: 0, unknown: 0 };
  const progress = new ProgressReporter(config, onProgress, () =>
    toProgress(countRows(), { ...ended, running: running.size }, budget),
  );
  let yielded = 0;
  let done = 0;
  let sourceEnded = false;
  let isStopped = false;
  /** Number of `finished` lines that are not durable yet. */
  let appending = 0;

  // `pull` and the loop below wait for each other: each sleeps until something changes, then checks again.
  const sleepers: (() => void)[] = [];
  const nextChange = () => new Promise<void>((resolve) => sleepers.push(resolve));
  const notifyChange = () => {
    for (const wake of sleepers.splice(0)) wake();
  };

  const start = async (row: Row) => {
    const controller = new AbortController();
    const markIdle = () => {
      active.delete(controller);
      notifyChange();
    };
    running.add(controller);
    active.add(controller);
    open.add(row.item);
    progress.update();
    const end = await work(row, controller, markIdle);
    const { result } = end;
    if (isPaused(result, pause)) paused.push(result);
    else if (!isCutShort(result)) {
      results.push(end);
      open.delete(row.item);
      ended[result.status === 'succeeded' ? 'done' : result.status] += 1;
    }
    running.delete(controller);
    markIdle();
    progress.update();
  };
  // 16 rows are prepared ahead of the requests in flight, so that a free slot is used immediately.
  const isFull = () =>
    running.size + results.length >= maxInFlight ||
    (config.concurrency !== false && active.size >= slots.inFlight + 16);
  const isEnding = () => isStopped || (endsAtPause && pause.reason !== undefined);
  const isCutShort = ({ error }: Result) => signal?.aborted === true && AbortedError.is(error);
  const pull = async () => {
    for await (const row of rows) {
      if (!isStopped) void start(row);
      while (!isEnding() && isFull()) await nextChange();
      if (isEnding()) break;
    }
  };
  const stop = () => {
    isStopped = true;
    for (const controller of running) controller.abort(signal?.reason);
    notifyChange();
  };

  const stopListening = whenAborted(signal, stop);
  try {
    if (signal?.aborted) throw batchAbortedError(signal.reason, open, journal.unread);
    const pulled = pull().finally(() => {
      sourceEnded = true;
      notifyChange();
    });
    // Not an unhandled rejection: the loop below throws it at the end, or no caller is left to report it to.
    pulled.catch(() => undefined);
    for (;;) {
      const [end] = results;
      if (end) {
        const { result, recorded, isDurable } = end;
        const { id, status } = result;
        yielded += 1;
        if (status !== 'unknown') done += 1;
        yield result;
        // The generator resumes once the caller has taken the result. Only then is the row's place free. If the process
        // dies before that, the next one yields the result again.
        results.shift();
        notifyChange();
        if (isDurable && status !== 'unknown' && status !== recorded) {
          appending += 1;
          void journal.tryAppend({ type: 'finished', id, status }).then(() => {
            appending -= 1;
            notifyChange();
          });
        }
      } else if (signal?.aborted) throw batchAbortedError(signal.reason, open, journal.unread);
      else if (running.size > 0 || appending > 0 || !(sourceEnded || isEnding())) {
        await nextChange();
      } else {
        // After a pause, the source may never yield another row.
        if (!pause.reason) return await pulled;
        throw pausedError(pause.reason, paused, journal.unread, {
          yielded,
          done,
          total: countRows(),
        });
      }
    }
  } catch (error) {
    throwToCaller(error);
  } finally {
    stopListening();
    stop();
    progress.end();
  }
}

import type { AbortedError } from '../../errors/aborted.ts';
import { abortedError } from '../call/errors.ts';
import { whenAborted } from '../config/clock.ts';

/** What the work on one item receives from the runner. */
export interface WorkerContext {
  /** Aborts when results are no longer wanted: the caller aborted, or stopped iterating. */
  readonly signal: AbortSignal;
  /** Marks the item as idle: it still waits for its result, but no longer counts as active. */
  readonly markIdle: () => void;
}

/** Limits of {@link runConcurrently}. */
export interface ConcurrencyOptions {
  readonly signal: AbortSignal | undefined;
  /** Maximum number of items that were pulled and whose results the caller has not taken. */
  readonly maxInFlight: number;
  /** Maximum number of items that are not idle. Evaluated again whenever an item starts, becomes idle or finishes. */
  readonly maxActive: () => number;
  /** When it aborts, no further items are pulled. Those in flight are finished and yielded. */
  readonly haltSignal?: AbortSignal | undefined;
}

/**
 * Pulls items while the limits allow, works on them concurrently, and yields each result as soon as it is available.
 * `work` must not reject. An error of the source is thrown after the results of all items that were pulled before.
 */
export async function* runConcurrently<Item, Result extends object>(
  items: AsyncIterable<Item>,
  work: (item: Item, context: WorkerContext) => Promise<Result>,
  { signal, maxInFlight, maxActive, haltSignal }: ConcurrencyOptions,
): AsyncGenerator<Result, void, undefined> {
  const stop = new AbortController();
  const results: Result[] = [];
  let inFlight = 0;
  let active = 0;
  let sourceEnded = false;

  // `pull` and the loop below wait for each other: each sleeps until something changes, then checks again.
  const sleepers: (() => void)[] = [];
  const nextChange = () => new Promise<void>((resolve) => sleepers.push(resolve));
  const notifyChange = () => {
    for (const wake of sleepers.splice(0)) wake();
  };

  const start = async (item: Item) => {
    inFlight += 1;
    active += 1;
    // 1 while the item counts as active, then 0.
    let share = 1;
    const markIdle = () => {
      active -= share;
      share = 0;
      notifyChange();
    };
    results.push(await work(item, { signal: stop.signal, markIdle }));
    markIdle();
  };
  const isFull = () => inFlight >= maxInFlight || active >= maxActive();
  const isHalted = () => stop.signal.aborted || haltSignal?.aborted === true;
  const pull = async () => {
    for await (const item of items) {
      if (!stop.signal.aborted) void start(item);
      while (!isHalted() && isFull()) await nextChange();
      if (isHalted()) break;
    }
  };
  const throwIfAborted = () => {
    if (signal?.aborted) throw batchAborted(signal.reason);
  };

  throwIfAborted();
  const stopListening = whenAborted(signal, notifyChange);
  const stopWaitingForHalt = whenAborted(haltSignal, notifyChange);
  const pulled = pull().finally(() => {
    sourceEnded = true;
    notifyChange();
  });
  // Not an unhandled rejection: the loop below throws it at the end, or no caller is left to report it to.
  pulled.catch(() => undefined);
  try {
    for (;;) {
      throwIfAborted();
      const result = results.shift();
      if (result !== undefined) {
        yield result;
        // The generator resumes when the caller requests the next result. Only then is the item's place free.
        inFlight -= 1;
        notifyChange();
      } else if (sourceEnded && inFlight === 0) return await pulled;
      // The source may never yield another item.
      else if (isHalted() && inFlight === 0) return;
      else await nextChange();
    }
  } finally {
    stopListening();
    stopWaitingForHalt();
    stop.abort(signal?.reason);
    notifyChange();
  }
}

/** The error for a batch whose signal was aborted. */
function batchAborted(cause: unknown): AbortedError {
  return abortedError(cause, {}, 'The batch was aborted.');
}

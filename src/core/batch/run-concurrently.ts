import { AbortedError } from '../../errors/aborted.ts';
import { whenAborted } from '../config/clock.ts';

/** What the work on an item is told, and may tell. */
export interface Shift {
  /** Aborts when nobody wants results any more. */
  readonly signal: AbortSignal;
  /** Says that the item needs no slot from here on: it only waits. */
  readonly waiting: () => void;
}

/** How much is done at once. */
export interface PumpOptions {
  readonly signal: AbortSignal | undefined;
  /** Items on their way: pulled, and their results not taken yet. */
  readonly most: number;
  /** Items that may use a slot, or wait for one, right now. */
  readonly room: () => number;
}

/**
 * Pulls items as there is room for them, works on many at once, and yields what comes of each as soon as it is there.
 * `work` must not reject.
 */
export async function* pump<Item, Result extends object>(
  items: AsyncIterable<Item>,
  work: (item: Item, shift: Shift) => Promise<Result>,
  { signal, most, room }: PumpOptions,
): AsyncGenerator<Result, void, undefined> {
  const stop = new AbortController();
  const results: Result[] = [];
  const waiters: (() => void)[] = [];
  let open = 0;
  let busy = 0;
  let over = false;

  const change = () => new Promise<void>((resolve) => waiters.push(resolve));
  const tell = () => {
    for (const wake of waiters.splice(0)) wake();
  };
  const begin = async (item: Item) => {
    open += 1;
    busy += 1;
    let using = 1;
    const waiting = () => {
      busy -= using;
      using = 0;
      tell();
    };
    results.push(await work(item, { signal: stop.signal, waiting }));
    waiting();
  };
  const isFull = () => open >= most || busy >= room();
  const feed = async () => {
    for await (const item of items) {
      if (!stop.signal.aborted) void begin(item);
      while (!stop.signal.aborted && isFull()) await change();
      if (stop.signal.aborted) break;
    }
  };
  const checkSignal = () => {
    if (!signal?.aborted) return;
    throw new AbortedError('The batch was aborted.', { cause: signal.reason });
  };

  checkSignal();
  const stopListening = whenAborted(signal, tell);
  const fed = feed().finally(() => {
    over = true;
    tell();
  });
  // Told at the end, after the results of what was begun.
  fed.catch(() => undefined);
  try {
    for (;;) {
      checkSignal();
      const result = results.shift();
      if (result !== undefined) {
        yield result;
        open -= 1;
        tell();
      } else if (over && open === 0) return await fed;
      else await change();
    }
  } finally {
    stopListening();
    stop.abort(signal?.reason);
    tell();
  }
}

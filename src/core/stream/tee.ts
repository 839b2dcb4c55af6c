import { AbortedError } from '../../errors/aborted.ts';
import type { Source, FinalCompletion } from './source.ts';

/** A place in the line of items; it keeps its item until every reader has passed it. */
interface Place<Item> {
  result?: Promise<IteratorResult<Item, undefined>>;
  next?: Place<Item>;
}

/** Two sources of the same items, each read at its own speed. What only one of them has read waits for the other. */
export function teeSource<Item>(source: Source<Item>): [Source<Item>, Source<Item>] {
  const start: Place<Item> = {};
  let readers = 2;
  const leave = (whenLast: () => void) => {
    readers -= 1;
    if (readers === 0) whenLast();
  };
  return [branch(source, start, leave), branch(source, start, leave)];
}

function branch<Item>(
  source: Source<Item>,
  start: Place<Item>,
  leave: (whenLast: () => void) => void,
): Source<Item> {
  let place = start;
  let failure: AbortedError | undefined;
  let rejectNext: (error: unknown) => void;
  let rejectWhole: (error: unknown) => void;
  const whole = new Promise<FinalCompletion>((resolve, reject) => {
    rejectNext = rejectWhole = reject;
    source.final.then(resolve, reject);
  });
  whole.catch(() => undefined);
  return {
    final: whole,
    clock: source.clock,
    get meta() {
      return source.meta;
    },
    get partial() {
      return source.partial;
    },
    takeBuffered: () => undefined,
    next: () =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        rejectNext = reject;
        place.result ??= source.next();
        place.result.then(resolve, reject);
        place = place.next ??= {};
      }),
    abort(reason) {
      if (failure !== undefined) return;
      const details = { cause: reason, outcome: 'unknown' } as const;
      failure = new AbortedError('Aborted by the caller.', details);
      rejectNext(failure);
      rejectWhole(failure);
      leave(() => source.abort(reason));
    },
    abandon() {
      if (failure === undefined) leave(() => source.abandon());
    },
  };
}

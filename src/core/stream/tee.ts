import type { AbortedError } from '../../errors/aborted.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import { abortedError } from '../call/errors.ts';
import type { Source, FinalCompletion } from './source.ts';

/** A node of the linked list of items. Branches only point forward, so a node is freed once both have passed it. */
interface Node<Item> {
  /** The item, requested from the source by the first branch that arrives here. */
  result?: Promise<IteratorResult<Item, undefined>>;
  next?: Node<Item>;
}

/** Splits a source into two branches with the same items. Items that only one branch has read stay in memory. */
export function teeSource<Item>(source: Source<Item>): [Source<Item>, Source<Item>] {
  const start: Node<Item> = {};
  let openBranches = 2;
  const leave = (whenLast: () => void) => {
    openBranches -= 1;
    if (openBranches === 0) whenLast();
  };
  return [createBranch(source, start, leave), createBranch(source, start, leave)];
}

/** `leave` ends a branch; its callback runs only for the last branch that leaves. */
function createBranch<Item>(
  source: Source<Item>,
  start: Node<Item>,
  leave: (whenLast: () => void) => void,
): Source<Item> {
  let node = start;
  let failure: AbortedError | undefined;
  let closed = false;
  let hasLeft = false;
  const leaveOnce = (whenLast: () => void) => {
    if (!hasLeft) leave(whenLast);
    hasLeft = true;
  };
  /** Ends the reads that are pending. */
  const pending = new Set<(error: unknown) => void>();
  let rejectFinal: (error: unknown) => void;
  const final = new Promise<FinalCompletion>((resolve, reject) => {
    rejectFinal = reject;
    source.final.then(resolve, reject);
  });
  final.catch(() => undefined);
  const abort = (reason: unknown) => {
    if (failure !== undefined) return;
    failure = abortedError(reason, { outcome: 'unknown' });
    for (const end of pending) end(failure);
    rejectFinal(failure);
    leaveOnce(() => source.abort(reason));
  };
  return {
    final,
    clock: source.clock,
    get meta() {
      return source.meta;
    },
    get partial() {
      return source.partial;
    },
    takeBuffered: () => undefined,
    next: () =>
      new Promise<IteratorResult<Item, undefined>>((resolve, reject) => {
        const end = (error: unknown) =>
          closed ? resolve({ done: true, value: undefined }) : reject(error);
        if (failure !== undefined) return end(failure);
        pending.add(end);
        node.result ??= source.next();
        node.result.then(resolve, end).finally(() => pending.delete(end));
        node = node.next ??= {};
      }).catch(throwToCaller),
    abort,
    close() {
      closed = true;
      abort(undefined);
    },
    abandon() {
      if (failure === undefined) leaveOnce(() => source.abandon());
    },
  };
}

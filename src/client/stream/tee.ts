import { abortedError } from '../../errors/call.ts';
import type { AbortedError } from '../../errors/call.ts';
import type { Source, FinalCompletion } from './source.ts';

/** A node of the linked list of items. Branches only point forward, so a node is freed once both have passed it. */
interface Node<Item> {
  /** The item, requested from the source by the first branch that arrives here. */
  result?: Promise<IteratorResult<Item, undefined>>;
  next?: Node<Item>;
}

/**
 * Splits a source into two branches with the same items, and wraps each. Items that only one branch has read stay in
 * memory.
 */
export function teeSource<Item, Branch>(
  source: Source<Item>,
  wrap: (branch: Source<Item>) => Branch,
): [Branch, Branch] {
  const start: Node<Item> = {};
  const openBranches = new Set<unknown>();
  const createBranch = (): Branch => {
    let node = start;
    let failure: AbortedError | undefined;
    /** Ends the reads that are pending, and `final`. */
    const pending = new Set<(error: unknown) => void>();
    openBranches.add(pending);
    /** Ends this branch. The callback runs only for the last branch that leaves. */
    const leave = (whenLast: () => void) => {
      if (openBranches.delete(pending) && openBranches.size === 0) whenLast();
    };
    const final = new Promise<FinalCompletion>((resolve, reject) => {
      pending.add(reject);
      source.final.then(resolve, reject);
    });
    final.catch(() => undefined);
    return wrap({
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
        new Promise((resolve, reject) => {
          if (failure !== undefined) return reject(failure);
          pending.add(reject);
          node.result ??= source.next();
          node.result.then(resolve, reject).finally(() => pending.delete(reject));
          node = node.next ??= {};
        }),
      abort(reason) {
        failure ??= abortedError(reason, { outcome: 'unknown' });
        for (const reject of pending) reject(failure);
        leave(() => source.abort(reason));
      },
      abandon() {
        leave(() => source.abandon());
      },
    });
  };
  return [createBranch(), createBranch()];
}

import { abortedError } from '../../errors/call.ts';
import type { AbortedError } from '../../errors/call.ts';
import type { ChatCompletion } from '../../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { Clock } from '../config/clock.ts';

/** The result of a complete stream. It is assembled only when `completion` is read, which may never happen. */
export interface FinalCompletion {
  readonly completion: ChatCompletion;
}

/** Supplies the items of a stream: a response, a response that is still pending, or one branch of a `tee()`. */
export interface Source<Item> {
  /** Parsed response headers; undefined until they arrive. */
  readonly meta: ResponseMeta | undefined;
  /** The completion accumulated so far; undefined before the first chunk. */
  readonly partial: ChatCompletion | undefined;
  /**
   * Resolves once the stream is proven complete, and rejects with the error that ended it. A rejection that is never
   * handled is not reported as unhandled.
   */
  readonly final: Promise<FinalCompletion>;
  /** Clock for every timer of this stream. */
  readonly clock: Clock;
  /** Resolves to the next item, or to `done` once the stream is proven complete; rejects if the stream fails. */
  next(): Promise<IteratorResult<Item, undefined>>;
  /** Removes and returns the next item if it has already been received. Reads nothing from the network. */
  takeBuffered(): Item | undefined;
  /** Fails the stream with an `AbortedError` whose `cause` is `reason`, and cancels the response body. */
  abort(reason?: unknown): void;
  /** Reports that the consumer was garbage collected mid-stream. The stream then fails after its idle timeout. */
  abandon(): void;
}

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

import { ConfigurationError } from '../errors/configuration.ts';
import type { ResponseMeta } from '../schemas/meta.ts';

/** Where the items of a stream come from. */
export interface ItemSource<Item> {
  /** The next item, or the proven end. */
  next(): Promise<IteratorResult<Item, undefined>>;
  /** Ends it before its end; `reason` is the caller's. */
  abort(reason?: unknown): void;
}

/** Items that can be read once: `for await (const item of stream)`. */
export class ItemStream<Item> implements AsyncIterable<Item> {
  readonly #source: ItemSource<Item>;
  #consumed = false;

  /** @internal */
  constructor(source: ItemSource<Item>) {
    this.#source = source;
  }

  /**
   * Reads the stream. Leaving the loop early cancels the answer.
   *
   * @throws {@link StreamTruncatedError} when the bytes end before the answer does.
   * @throws {@link StreamIdleTimeoutError} when nothing comes for too long.
   * @throws {@link StreamError} when the service sends an error, or something that is no chunk.
   * @throws {@link AbortedError} when the caller's signal or `abort()` ends it.
   */
  [Symbol.asyncIterator](): AsyncIterator<Item, undefined, undefined> {
    if (this.#consumed) {
      throw new ConfigurationError('This stream has been read already.');
    }
    this.#consumed = true;
    const source = this.#source;
    return {
      next: () => source.next(),
      async return() {
        source.abort();
        return { done: true, value: undefined };
      },
    };
  }

  /** Ends the stream now; whoever reads it gets an `AbortedError`. */
  abort(reason?: unknown): void {
    this.#source.abort(reason);
  }

  /** Whether somebody reads it, or has. */
  protected get consumed(): boolean {
    return this.#consumed;
  }
}

/** A streamed answer, item by item. Its end is proven: a stream that breaks off throws. */
export class Stream<Item> extends ItemStream<Item> {
  /** What the headers of the answer tell. */
  readonly meta: ResponseMeta;

  /** @internal */
  constructor(source: ItemSource<Item>, meta: ResponseMeta) {
    super(source);
    this.meta = meta;
  }
}

import { ConfigurationError } from '../../errors/configuration.ts';
import type { ChatCompletionChunk } from '../../schemas/chat-completion.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { teeSource } from './tee.ts';
import { relayedStream } from './relayed-stream.ts';
import type { RelayedStreamOptions } from './relayed-stream.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { toReadable } from './to-readable.ts';
import type { Source } from './source.ts';

/**
 * Tells a source when its reader was dropped in the middle, which no `break` and no `return()` announced. React Native
 * and workers with an old compatibility date have no such registry.
 */
const readers =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : /* @__PURE__ */ new FinalizationRegistry<Pick<Source<unknown>, 'abandon'>>((source) =>
        source.abandon(),
      );

/** Items that can be read once: `for await (const item of stream)`. */
export class ItemStream<Item> implements AsyncIterable<Item> {
  /** @internal */
  protected readonly source: Source<Item>;
  #consumed = false;

  /** @internal */
  constructor(source: Source<Item>) {
    this.source = source;
  }

  /**
   * Reads the stream. Leaving the loop early cancels the answer.
   *
   * @throws {@link StreamTruncatedError} when the bytes end before the answer does.
   * @throws {@link StreamIdleTimeoutError} when nothing comes for too long.
   * @throws {@link StreamError} when the service sends an error, something that is no chunk, or no chunk at all.
   * @throws {@link AbortedError} when the caller's signal or `abort()` ends it.
   */
  [Symbol.asyncIterator](): AsyncIterator<Item, undefined, undefined> {
    const source = this.lock();
    const iterator: AsyncIterator<Item, undefined, undefined> = {
      next: () => source.next(),
      async return() {
        source.abort();
        return { done: true, value: undefined };
      },
    };
    readers?.register(iterator, source, source);
    // At its end nothing is left to tell; and its error holds, by its stack, on to this iterator.
    const forget = () => readers?.unregister(source);
    source.final.then(forget, forget);
    return iterator;
  }

  /** Ends the stream now; whoever reads it gets an `AbortedError`. */
  abort(reason?: unknown): void {
    this.source.abort(reason);
  }

  /**
   * The stream as the bytes of an event stream, for the body of your own answer:
   * `new Response(stream.toReadableStream(), { headers: { 'content-type': 'text/event-stream' } })`. Every item is one
   * `data` event of JSON, `[DONE]` the end; a failure is an event `{"error": {…}}` with the error's name, message, code
   * and outcome, and nothing of its headers or body. `fromReadableStream` reads it. Bytes are made when they are asked
   * for, a comment every 15 s keeps a quiet connection open, and cancelling the bytes aborts the answer.
   */
  toReadableStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return toReadable(this.lock());
  }

  /**
   * For the one reader of this stream.
   * @internal
   */
  protected lock(): Source<Item> {
    if (this.#consumed) {
      throw new ConfigurationError('This stream has been read already; see tee().');
    }
    this.#consumed = true;
    return this.source;
  }

  /**
   * Whether somebody reads it, or has.
   * @internal
   */
  protected get consumed(): boolean {
    return this.#consumed;
  }
}

/** A streamed answer, item by item. Its end is proven: a stream that breaks off throws. */
export class Stream<Item> extends ItemStream<Item> {
  /** What the headers of the answer tell. */
  readonly meta: ResponseMeta;

  /** @internal */
  constructor(source: Source<Item>, meta: ResponseMeta) {
    super(source);
    this.meta = meta;
  }

  /**
   * Two streams of the same items in place of this one, each read at its own speed. What one has read is kept until the
   * other has, too; the answer is cancelled when both have been left.
   */
  tee(): [Stream<Item>, Stream<Item>] {
    const [one, other] = teeSource(this.lock());
    return [new Stream(one, this.meta), new Stream(other, this.meta)];
  }

  /**
   * Reads what {@link Stream.toReadableStream} wrote, as the same stream: without its `[DONE]` it throws
   * `StreamTruncatedError`, and an error of the other side is thrown as the class that it has there. Its `meta` tells
   * nothing but status 200, for headers stay on the server.
   */
  static fromReadableStream(
    readable: ReadableStream<Uint8Array>,
    options?: RelayedStreamOptions,
  ): Stream<ChatCompletionChunk> {
    return new Stream(relayedStream(readable, options), emptyMeta());
  }
}

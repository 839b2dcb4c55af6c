import { ConfigurationError } from '../../errors/base.ts';
import type { ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { throwToCaller } from '../config/caller.ts';
import { garbage } from '../config/environment.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { streamReader, relayedStream } from './pending-stream.ts';
import type { RelayedStreamOptions } from './pending-stream.ts';
import type { Source } from './source.ts';
import { teeSource } from './source.ts';

/** A stream of items that can be read once: `for await (const item of stream)`. */
export class ItemStream<Item> implements AsyncIterable<Item> {
  /** @internal */
  protected readonly source: Source<Item>;
  /**
   * Whether the stream has a reader, or had one.
   * @internal
   */
  protected consumed = false;

  /** @internal */
  constructor(source: Source<Item>) {
    this.source = source;
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }

  /**
   * Reads the stream. Leaving the loop early aborts the stream and never throws.
   *
   * @throws {@link StreamTruncatedError} if the response ends before the stream is complete.
   * @throws {@link StreamIdleTimeoutError} if no byte arrives for `streamIdleTimeout`.
   * @throws {@link StreamError} if the service sends an error, an invalid or oversized event, or no chunk at all.
   * @throws {@link AbortedError} if the caller's signal or `abort()` ends the stream.
   * @throws {@link ConfigurationError} if the stream has already been read.
   */
  [Symbol.asyncIterator](): AsyncIterator<Item, undefined, undefined> {
    const source = this.lock();
    const done = { done: true, value: undefined } as const;
    let closed = false;
    const fail = (error: unknown) => (closed ? done : throwToCaller(error));
    const iterator: AsyncIterator<Item, undefined, undefined> = {
      next() {
        // An item that has already been received needs one promise, not three.
        const value = source.takeBuffered();
        return value === undefined
          ? source.next().catch(fail)
          : Promise.resolve({ done: false, value });
      },
      async return() {
        closed = true;
        source.abort();
        return done;
      },
    };
    garbage?.register(iterator, () => source.abandon(), source);
    // Nothing needs to be reported after the end. After a failure, the stack of the error can keep this iterator alive,
    // so that it would never be unregistered.
    const forget = () => garbage?.unregister(source);
    source.final.then(forget, forget);
    return iterator;
  }

  /** Ends the stream immediately. A pending or later read rejects with an `AbortedError` whose `cause` is `reason`. */
  abort(reason?: unknown): void {
    this.source.abort(reason);
  }

  /**
   * Serializes the stream as an event stream, for the body of your own server's response:
   * `new Response(stream.toReadableStream(), { headers: { 'content-type': 'text/event-stream' } })`. Read it on the
   * other side with `fromReadableStream()`.
   *
   * Each item is sent as one `data` event of JSON, followed by `[DONE]` at the end. A failure is sent as an event
   * `{"error": {…}}` with the error's name, message, code, type, status, outcome, retry delay, request id and budget
   * amounts, but none of its headers or body. Items are read on demand, a comment every 15 seconds keeps an idle
   * connection open, and canceling the returned stream aborts this one.
   */
  toReadableStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const source = this.lock();
    return new ReadableStream(
      {
        async pull(controller) {
          const { pullEvents } = await streamReader.load({ details: { outcome: 'unknown' } });
          await pullEvents(source, controller);
        },
        cancel: (reason) => source.abort(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /**
   * Returns the source for exclusive use by one reader.
   * @throws {@link ConfigurationError} if the stream already has a reader.
   * @internal
   */
  protected lock(): Source<Item> {
    if (this.consumed) {
      throw new ConfigurationError(
        'The stream has already been read. To read it twice, call tee() first.',
      );
    }
    this.consumed = true;
    return this.source;
  }
}

/** A streaming response, item by item. A truncated stream throws `StreamTruncatedError`; it never just ends. */
export class Stream<Item> extends ItemStream<Item> {
  /** Metadata from the response headers. */
  readonly meta: ResponseMeta;

  /** @internal */
  constructor(source: Source<Item>, meta: ResponseMeta) {
    super(source);
    this.meta = meta;
  }

  /**
   * Replaces this stream with two streams of the same items. Each can be read at its own pace: items
   * stay in memory until both have read them. The response is canceled once both have been aborted.
   */
  tee(): [Stream<Item>, Stream<Item>] {
    return teeSource(this.lock(), (branch) => new Stream(branch, this.meta));
  }

  /**
   * Reads the output of {@link Stream.toReadableStream} as the same stream. Without a final `[DONE]` it throws
   * `StreamTruncatedError`, and an error on the other side is thrown here with the same class where possible. `meta`
   * has only the status 200, because response headers stay on the server.
   */
  static fromReadableStream(
    readable: ReadableStream<Uint8Array>,
    options?: RelayedStreamOptions,
  ): Stream<ChatCompletionChunk> {
    return new Stream(relayedStream(readable, options), emptyMeta());
  }
}

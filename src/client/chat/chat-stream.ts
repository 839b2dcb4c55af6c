import { ConnectionError } from '../../errors/call.ts';
import type { ChatCompletion, ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import type { CompletionOf, PartialDeep } from '../../wire/types/chat/output.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { unchecked } from '../../wire/types/schema.ts';
import type { StandardSchema } from '../../wire/types/standard-schema.ts';
import { throwToCaller } from '../config/caller.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { streamReader, relayedStream } from '../stream/pending-stream.ts';
import type { RelayedStreamOptions } from '../stream/pending-stream.ts';
import type { Source } from '../stream/source.ts';
import { teeSource } from '../stream/source.ts';
import { ItemStream } from '../stream/stream.ts';
import { completionParser } from './completion-parser.ts';
import type { CompletionTransform } from './completion-parser.ts';
import { contentText } from './content.ts';

/**
 * A streaming chat completion. Loop over its chunks, over `text()` or over `partialObjects()`, or await `final()`. A
 * stream makes one request no matter how you read it, and can be read once; `tee()` splits it in two.
 */
export class ChatStream<
  Final extends ChatCompletion = ChatCompletion,
  Draft = unknown,
> extends ItemStream<ChatCompletionChunk> {
  readonly #transform: CompletionTransform<Final>;
  #final: Promise<Final> | undefined;

  /** @internal */
  constructor(source: Source<ChatCompletionChunk>, transform: CompletionTransform<Final>) {
    super(source);
    this.#transform = transform;
  }

  /** Metadata from the response headers; undefined until they arrive. */
  get meta(): ResponseMeta | undefined {
    return this.source.meta;
  }

  /** The completion accumulated so far; undefined before the first chunk. */
  get partial(): ChatCompletion | undefined {
    return this.source.partial;
  }

  /** Reads the stream as text: the content of the first choice, piece by piece. */
  text(): AsyncGenerator<string, void, undefined> {
    return this.#readText((text) => text);
  }

  /**
   * Reads the stream as JSON: yields the value parsed so far from the content of the first choice, each time more
   * content arrives. The same object is yielded every time and grows in place, so copy what you want to keep.
   *
   * Values are not validated before `final()`. A string may be incomplete and may even end inside a surrogate pair,
   * while numbers, booleans and null appear only once they are complete. If the content turns out not to be JSON,
   * nothing more is yielded; with a schema, `final()` then throws {@link StructuredOutputError}.
   */
  partialObjects(): AsyncGenerator<PartialDeep<Draft>, void, undefined> {
    let parse: ((text: string) => unknown) | undefined;
    return this.#readText((text) => {
      // Loaded, because the text comes from a stream.
      parse ??= streamReader.loaded?.partialJsonParser();
      return unchecked<PartialDeep<Draft> | undefined>(parse?.(text));
    });
  }

  /**
   * Reads the text of the first choice, and yields what `read` returns for each piece of it unless that is undefined.
   * Opens the stream at the first read.
   */
  #readText<Item>(read: (text: string) => Item | undefined): AsyncGenerator<Item, void, undefined> {
    let chunks: AsyncIterator<ChatCompletionChunk> | undefined;
    const open = () => (chunks ??= this[Symbol.asyncIterator]());
    const generator = readTexts({ [Symbol.asyncIterator]: open }, read);
    const finish = generator.return.bind(generator);
    // A generator on its own first waits for its pending read, which would keep the stream open until the next chunk.
    generator.return = (value) => {
      if (!this.consumed) open();
      void chunks?.return?.();
      return finish(value);
    };
    return generator;
  }

  /**
   * Resolves to the complete chat completion, as the same request returns it without streaming: content, tool calls,
   * usage, finish reason, and `parsed` if the request has a schema. Reads the stream unless it already has a reader;
   * after a loop it resolves immediately. Rejects with the same errors as a loop over the stream.
   *
   * @throws {@link StructuredOutputError} if the request has a schema and the completion does not match it.
   */
  final(): Promise<Final> {
    this.#final ??= this.#readToEnd();
    return this.#final.catch(throwToCaller);
  }

  async #readToEnd(): Promise<Final> {
    const { source } = this;
    if (!this.consumed) {
      this.lock();
      do {
        while (source.takeBuffered() !== undefined);
      } while (!(await source.next()).done);
    }
    const { completion } = await source.final;
    try {
      return await this.#transform(completion, source.meta ?? emptyMeta());
    } catch (error) {
      // The part of the client that parses it could not be loaded. The completion is here, for a later call.
      if (ConnectionError.is(error)) this.#final = undefined;
      throw error;
    }
  }

  /**
   * Replaces this stream with two streams of the same completion. Each can be read at its own pace:
   * chunks stay in memory until both have read them. The response is canceled once both have been aborted.
   * On both streams, `partial` includes everything that the faster one has read.
   */
  tee(): [ChatStream<Final, Draft>, ChatStream<Final, Draft>] {
    return teeSource(this.lock(), (branch) => new ChatStream(branch, this.#transform));
  }

  /**
   * Reads the output of a server's `toReadableStream()` as the same stream. Without a final `[DONE]` it throws
   * `StreamTruncatedError`, and an error on the server is thrown here with the same class. `meta` has only the status
   * 200, because response headers stay on the server. With a `schema`, `final()` parses the completion as
   * {@link ChatCompletions.parse} does.
   */
  static fromReadableStream<Output = never, Input = unknown>(
    readable: ReadableStream<Uint8Array>,
    options?: RelayedStreamOptions & { schema?: StandardSchema<Output, Input> | undefined },
  ): ChatStream<CompletionOf<Output>, Input>;
  static fromReadableStream(
    readable: ReadableStream<Uint8Array>,
    options: RelayedStreamOptions & { schema?: StandardSchema<unknown> | undefined } = {},
  ): ChatStream {
    return new ChatStream(relayedStream(readable, options), completionParser(options.schema));
  }
}

/** Passes the text that each chunk adds to the first choice to `read`, and yields what it returns. */
async function* readTexts<Item>(
  chunks: AsyncIterable<ChatCompletionChunk>,
  read: (text: string) => Item | undefined,
): AsyncGenerator<Item, void, undefined> {
  for await (const { choices } of chunks) {
    for (const { index, delta } of choices) {
      const text = index === 0 && contentText(delta.content);
      const item = text ? read(text) : undefined;
      if (item !== undefined) yield item;
    }
  }
}

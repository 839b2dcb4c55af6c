import type { ChatCompletion, ChatCompletionChunk } from '../../schemas/chat-completion.ts';
import type { ParsedCompletion, PartialDeep } from '../../schemas/chat-output.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { unchecked } from '../../schemas/schema.ts';
import type { StandardSchema } from '../../schemas/standard-schema.ts';
import { teeSource } from '../stream/tee.ts';
import { relayedStream } from '../stream/relayed-stream.ts';
import type { RelayedStreamOptions } from '../stream/relayed-stream.ts';
import { emptyMeta } from '../http/response-meta.ts';
import { completionParser } from './structured-output.ts';
import type { CompletionTransform } from './structured-output.ts';
import { PartialJson } from './partial-json.ts';
import type { Source } from '../stream/source.ts';
import { ItemStream } from '../stream/stream.ts';

/**
 * A chat answer under way, usable at once: loop over its chunks, over `text()` or `partialObjects()`, or await
 * `final()`. One request, however it is read, and it can be read once; `tee()` makes two of it.
 */
export class ChatStream<
  Final extends ChatCompletion = ChatCompletion,
  Draft = unknown,
> extends ItemStream<ChatCompletionChunk> {
  readonly #finish: CompletionTransform<Final>;
  #final: Promise<Final> | undefined;

  /** @internal */
  constructor(source: Source<ChatCompletionChunk>, finish: CompletionTransform<Final>) {
    super(source);
    this.#finish = finish;
  }

  /** What the headers tell; undefined until they have arrived. */
  get meta(): ResponseMeta | undefined {
    return this.source.meta;
  }

  /** What has arrived so far, put together; undefined before the first chunk. */
  get partial(): ChatCompletion | undefined {
    return this.source.partial;
  }

  /** Reads only the words of the (first) answer. */
  async *text(): AsyncGenerator<string, void, undefined> {
    for await (const { choices } of this) {
      for (const { index, delta } of choices) {
        if (index === 0 && delta.content) yield delta.content;
      }
    }
  }

  /**
   * Reads the JSON that the (first) answer is, as far as it has come, after each of its pieces. It is one object that
   * grows: copy what you want to keep. Nothing in it is checked before `final()`; texts may be cut, even in a character, numbers and words
   * such as `true` come when they are whole. Where the answer stops being JSON, nothing more is given, and a `final()`
   * that parses tells why.
   */
  async *partialObjects(): AsyncGenerator<PartialDeep<Draft>, void, undefined> {
    const json = new PartialJson();
    for await (const text of this.text()) {
      if (json.feed(text) && json.value !== undefined) {
        yield unchecked<PartialDeep<Draft>>(json.value);
      }
    }
  }

  /**
   * The whole answer, as the same call answers it unstreamed: content, tool calls, usage, finish reason, and `parsed`
   * where the call named a schema. Reads the stream if nobody does; after a loop it is there at once.
   *
   * @throws {@link StructuredOutputError} when the call named a schema and the answer does not fit it.
   */
  async final(): Promise<Final> {
    const { source } = this;
    if (!this.consumed) {
      this.lock();
      do {
        while (source.takeBuffered() !== undefined);
      } while (!(await source.next()).done);
    }
    this.#final ??= source.final.then(({ completion }) =>
      this.#finish(completion, source.meta ?? emptyMeta()),
    );
    return this.#final;
  }

  /**
   * Two streams of the same answer in place of this one, each read at its own speed. What one has read is kept until
   * the other has, too; the answer is cancelled when both have been left. `partial` is that of the faster one.
   */
  tee(): [ChatStream<Final, Draft>, ChatStream<Final, Draft>] {
    const [one, other] = teeSource(this.lock());
    return [new ChatStream(one, this.#finish), new ChatStream(other, this.#finish)];
  }

  /**
   * Reads what `toReadableStream()` wrote on a server, as the same stream: without its `[DONE]` it throws
   * `StreamTruncatedError`, and an error of the server's stream is thrown as the class that it has there. Its `meta`
   * tells nothing but status 200, for headers stay on the server. With a `schema`, `final()` parses as
   * {@link ChatCompletions.parse} does.
   */
  static fromReadableStream<Output, Input>(
    readable: ReadableStream<Uint8Array>,
    options: RelayedStreamOptions & { schema: StandardSchema<Output, Input> },
  ): ChatStream<ParsedCompletion<Output>, Input>;
  static fromReadableStream(
    readable: ReadableStream<Uint8Array>,
    options?: RelayedStreamOptions,
  ): ChatStream;
  static fromReadableStream(
    readable: ReadableStream<Uint8Array>,
    options: RelayedStreamOptions & { schema?: StandardSchema<unknown> } = {},
  ): ChatStream {
    return new ChatStream(relayedStream(readable, options), completionParser(options.schema));
  }
}

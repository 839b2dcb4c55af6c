import type { ChatCompletion, ChatCompletionChunk } from '../schemas/chat-completion.ts';
import type { ResponseMeta } from '../schemas/meta.ts';
import type { ChunkReader } from './chunk-reader.ts';
import type { Answer } from './response.ts';
import { ItemStream } from './stream.ts';
import type { ItemSource } from './stream.ts';

/** A request under way whose answer will be a stream; reading waits for the headers. */
class Opening implements ItemSource<ChatCompletionChunk> {
  answer: Answer<ChunkReader> | undefined;
  /** Settles when the stream has ended, however it ended. */
  readonly completion: Promise<ChatCompletion>;
  readonly #stopper = new AbortController();
  readonly #opened: Promise<ChunkReader>;
  #resolve: (completion: Promise<ChatCompletion>) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(
    open: (signal: AbortSignal) => Promise<Answer<ChunkReader>>,
    signal: AbortSignal | undefined,
  ) {
    this.completion = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const abort = () => this.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    this.#opened = open(this.#stopper.signal).then((answer) => {
      this.answer = answer;
      const stop = this.#stopper.signal;
      if (stop.aborted) answer.data.abort(stop.reason);
      return answer.data;
    });
    this.#opened.catch(this.#reject);
    this.completion.catch(() => undefined);
    // Once there is a reader, it listens for itself.
    const detach = () => signal?.removeEventListener('abort', abort);
    this.#opened.then(detach, detach);
  }

  async next(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    try {
      const reader = this.answer?.data ?? (await this.#opened);
      const result = await reader.next();
      if (result.done) this.#resolve(reader.completion());
      return result;
    } catch (error) {
      this.#reject(error);
      throw error;
    }
  }

  abort(reason?: unknown): void {
    this.#stopper.abort(reason);
    this.answer?.data.abort(reason);
    // Nobody may be reading: final() must learn of the abort all the same.
    this.answer?.data.next().catch(this.#reject);
  }
}

/**
 * A chat answer under way, usable at once: loop over its chunks, over `text()`, or await `final()`. One request,
 * however it is read, and it can be read once.
 */
export class ChatStream extends ItemStream<ChatCompletionChunk> {
  readonly #opening: Opening;

  /** @internal */
  constructor(
    open: (signal: AbortSignal) => Promise<Answer<ChunkReader>>,
    signal: AbortSignal | undefined,
  ) {
    const opening = new Opening(open, signal);
    super(opening);
    this.#opening = opening;
  }

  /** What the headers tell; undefined until they have arrived. */
  get meta(): ResponseMeta | undefined {
    return this.#opening.answer?.meta;
  }

  /** What has arrived so far, put together; undefined before the first chunk. */
  get partial(): ChatCompletion | undefined {
    return this.#opening.answer?.data.partial;
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
   * The whole answer, as the same call answers it unstreamed: content, tool calls, usage, finish reason. Reads the
   * stream if nobody does; after a loop it is there at once.
   */
  async final(): Promise<ChatCompletion> {
    if (!this.consumed) {
      const chunks = this[Symbol.asyncIterator]();
      while (!(await chunks.next()).done);
    }
    return this.#opening.completion;
  }
}

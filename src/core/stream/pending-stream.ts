import type { ChatCompletionChunk } from '../../schemas/chat-completion.ts';
import type { ChunkReader } from './chunk-reader.ts';
import { whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { ApiResponse } from '../call/response.ts';
import type { Source, FinalCompletion } from './source.ts';

/** A request under way whose answer will be a stream; reading waits for the headers. */
export class PendingStream implements Source<ChatCompletionChunk> {
  readonly final: Promise<FinalCompletion>;
  readonly clock: Clock;
  readonly #stopper = new AbortController();
  readonly #opened: Promise<ChunkReader>;
  #reader: ChunkReader | undefined;

  constructor(
    open: (signal: AbortSignal) => Promise<ApiResponse<ChunkReader>>,
    signal: AbortSignal | undefined,
    clock: Clock,
  ) {
    this.clock = clock;
    if (signal?.aborted) this.abort(signal.reason);
    this.#opened = open(this.#stopper.signal).then(({ data }) => {
      this.#reader = data;
      const stop = this.#stopper.signal;
      if (stop.aborted) data.abort(stop.reason);
      return data;
    });
    this.final = this.#opened.then((reader) => reader.final);
    this.final.catch(() => undefined);
    // Once there is a reader, it listens for itself.
    const detach = whenAborted(signal, (reason) => this.abort(reason));
    this.#opened.then(detach, detach);
  }

  get meta() {
    return this.#reader?.meta;
  }

  get partial() {
    return this.#reader?.partial;
  }

  next(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    return this.#reader?.next() ?? this.#opened.then((reader) => reader.next());
  }

  takeBuffered(): ChatCompletionChunk | undefined {
    return this.#reader?.takeBuffered();
  }

  abort(reason?: unknown): void {
    this.#stopper.abort(reason);
    this.#reader?.abort(reason);
  }

  abandon(): void {
    this.#opened.then(
      (reader) => reader.abandon(),
      () => undefined,
    );
  }
}

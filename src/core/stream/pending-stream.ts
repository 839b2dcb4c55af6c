import type { ChatCompletionChunk } from '../../schemas/chat-completion.ts';
import type { ApiResponse } from '../call/response.ts';
import { whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { ChunkReader } from './chunk-reader.ts';
import type { Source, FinalCompletion } from './source.ts';

/** A stream whose response headers may not have arrived yet. Reading it waits for them. */
export class PendingStream implements Source<ChatCompletionChunk> {
  readonly final: Promise<FinalCompletion>;
  readonly clock: Clock;
  readonly #controller = new AbortController();
  readonly #opening: Promise<ChunkReader>;
  #reader: ChunkReader | undefined;

  /**
   * `open` sends the request. Its signal ends the request and the stream, and aborts when the caller's `signal` aborts
   * or `abort()` is called.
   */
  constructor(
    open: (signal: AbortSignal) => Promise<ApiResponse<ChunkReader>>,
    signal: AbortSignal | undefined,
    clock: Clock,
  ) {
    this.clock = clock;
    if (signal?.aborted) this.abort(signal.reason);
    const stopListening = whenAborted(signal, (reason) => this.abort(reason));
    this.#opening = open(this.#controller.signal).then(({ data: reader }) => {
      reader.onEnd = stopListening;
      return (this.#reader = reader);
    });
    this.final = this.#opening.then((reader) => reader.final);
    this.final.then(stopListening, stopListening);
  }

  get meta() {
    return this.#reader?.meta;
  }

  get partial() {
    return this.#reader?.partial;
  }

  next(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    return this.#reader?.next() ?? this.#opening.then((reader) => reader.next());
  }

  takeBuffered(): ChatCompletionChunk | undefined {
    return this.#reader?.takeBuffered();
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  abandon(): void {
    this.#opening.then(
      (reader) => reader.abandon(),
      () => undefined,
    );
  }
}

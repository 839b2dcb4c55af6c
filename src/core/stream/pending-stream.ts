import type { ChatCompletionChunk } from '../../schemas/chat-completion.ts';
import { throwToCaller } from '../call/caller-stack.ts';
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
  #closed = false;

  /** `open` sends the request; its signal aborts when the caller's `signal` or `abort()` ends the stream. */
  constructor(
    open: (signal: AbortSignal) => Promise<ApiResponse<ChunkReader>>,
    signal: AbortSignal | undefined,
    clock: Clock,
  ) {
    this.clock = clock;
    if (signal?.aborted) this.abort(signal.reason);
    this.#opening = open(this.#controller.signal).then(({ data: reader }) => {
      this.#reader = reader;
      const openSignal = this.#controller.signal;
      if (this.#closed) reader.close();
      else if (openSignal.aborted) reader.abort(openSignal.reason);
      return reader;
    });
    this.final = this.#opening.then((reader) => reader.final);
    this.final.catch(() => undefined);
    // Once the stream is open, the reader itself listens to the caller's signal.
    const stopListening = whenAborted(signal, (reason) => this.abort(reason));
    this.#opening.then(stopListening, stopListening);
  }

  get meta() {
    return this.#reader?.meta;
  }

  get partial() {
    return this.#reader?.partial;
  }

  next(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    return (
      this.#reader?.next() ??
      this.#opening.then(
        (reader) => reader.next(),
        (error: unknown) =>
          this.#closed ? { done: true, value: undefined } : throwToCaller(error),
      )
    );
  }

  takeBuffered(): ChatCompletionChunk | undefined {
    return this.#reader?.takeBuffered();
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
    this.#reader?.abort(reason);
  }

  close(): void {
    this.#closed = true;
    this.#controller.abort();
    this.#reader?.close();
  }

  abandon(): void {
    this.#opening.then(
      (reader) => reader.abandon(),
      () => undefined,
    );
  }
}

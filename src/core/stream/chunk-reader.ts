import type { PolygateError } from '../../errors/base.ts';
import { StreamTruncatedError } from '../../errors/stream.ts';
import type { ChatCompletion, ChatCompletionChunk } from '../../schemas/chat-completion.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import type { CallErrors } from '../call/errors.ts';
import type { ResponseContext, ResponseHandler } from '../call/response.ts';
import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { IdleTimer } from '../http/idle-timer.ts';
import { singleLine, parseJson } from '../http/json.ts';
import { isEventStream, readBodyText, readerOf } from '../http/response-body.ts';
import { Accumulator } from './accumulator.ts';
import { isChunk, isErrorEvent } from './chunk.ts';
import { EventDecoder } from './event-decoder.ts';
import type { StreamEvent } from './event-decoder.ts';
import type { Source, FinalCompletion } from './source.ts';

/** Time in ms for the body to end after `[DONE]`. After that, it is cancelled. */
const closeTimeout = 100;

/** Number of bytes after `[DONE]` that are read. After that, the body is cancelled. */
const maxTrailingBytes = 65_536;

/** Handles a streaming response. The returned reader holds the concurrency slot until the stream ends. */
export function openStream(
  choiceCount: number,
  signal: AbortSignal | undefined,
): ResponseHandler<ChunkReader> {
  return async (context) => {
    const { response, meta, errors, config } = context;
    const { body } = response;
    if (body !== null && isEventStream(response)) {
      return new ChunkReader(context, readerOf(response, body), choiceCount, signal);
    }
    const text = await readBodyText(response, config.maxResponseBytes, context.signal).catch(
      () => '',
    );
    const type = response.headers.get('content-type') ?? 'no content-type';
    const problem = `expected a text/event-stream body, received ${body === null ? 'no body' : type}`;
    throw errors.invalidResponse(meta, problem, parseJson(text) ?? text);
  };
}

/** The parts of a response context that a reader needs. */
interface ReaderContext extends Pick<ResponseContext, 'errors' | 'retainSlot' | 'meta'> {
  readonly config: Pick<Config, 'clock' | 'maxEventBytes' | 'streamIdleTimeout'>;
}

/**
 * Reads one streaming response: bytes become events, and events become chunks, which are also accumulated.
 *
 * A reader is open until it either completes or fails; both are final. A stream is proven complete by `[DONE]`, or by
 * the end of the body, clean or not, once every requested choice has a `finish_reason`. Any other end of the body is a
 * `StreamTruncatedError`. Completing and failing both settle `final` and release the slot, the timer and the abort
 * listener.
 */
export class ChunkReader implements Source<ChatCompletionChunk> {
  readonly meta: ResponseMeta;
  readonly final: Promise<FinalCompletion>;
  readonly clock: Clock;
  /** Called as soon as the stream has ended, complete or not. */
  onEnd = () => {};
  readonly #errors: CallErrors;
  readonly #body: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder: EventDecoder;
  readonly #accumulator = new Accumulator();
  readonly #choiceCount: number;
  readonly #idleTimer: IdleTimer;
  readonly #release: () => void;
  #pendingRead: Promise<void> | undefined;
  #bodyEnded = false;
  #abandoned = false;
  #isOpen = true;
  #failure: PolygateError | undefined;
  #settleFinal: (final: FinalCompletion | Promise<never>) => void = () => undefined;

  constructor(
    { errors, config, retainSlot, meta }: ReaderContext,
    body: ReadableStreamDefaultReader<Uint8Array>,
    choiceCount: number,
    signal: AbortSignal | undefined,
  ) {
    this.meta = meta;
    this.clock = config.clock;
    this.final = new Promise((resolve) => {
      this.#settleFinal = resolve;
    });
    this.final.catch(() => undefined);
    this.#errors = errors;
    errors.partial = () => this.partial;
    this.#body = body;
    this.#decoder = new EventDecoder(config.maxEventBytes);
    this.#choiceCount = choiceCount;
    const ms = config.streamIdleTimeout;
    this.#idleTimer = new IdleTimer(config.clock, ms, () => this.#fail(errors.streamIdle(ms)));
    const releaseSlot = retainSlot();
    const stopListening = whenAborted(signal, (reason) => this.abort(reason));
    this.#release = () => {
      this.#idleTimer.stop();
      stopListening();
      releaseSlot();
    };
    // A stream that is never read must not hold its slot forever.
    this.#idleTimer.start();
    if (signal?.aborted) this.abort(signal.reason);
  }

  get partial(): ChatCompletion | undefined {
    return this.#accumulator.hasChunks ? this.#accumulator.completion : undefined;
  }

  takeBuffered(): ChatCompletionChunk | undefined {
    const event = this.#isOpen ? this.#decoder.take() : undefined;
    return event && this.#processEvent(event);
  }

  async next(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    for (;;) {
      const value = this.takeBuffered();
      if (value !== undefined) return { done: false, value };
      if (this.#failure !== undefined) throw this.#failure;
      if (!this.#isOpen) return { done: true, value };
      if (this.#decoder.overflow) {
        this.#failInvalid(`an event is longer than maxEventBytes (${this.#decoder.maxBytes})`);
      } else if (this.#bodyEnded) this.#endOfBody();
      else await (this.#pendingRead ??= this.#read());
    }
  }

  abort(reason: unknown = new DOMException('The stream was aborted.', 'AbortError')): void {
    this.#fail(this.#errors.aborted(reason));
  }

  abandon(): void {
    this.#abandoned = true;
    if (this.#isOpen) this.#idleTimer.start();
  }

  /** Reads one network chunk and decodes the events that it completes. */
  async #read(): Promise<void> {
    this.#idleTimer.start();
    try {
      const { done, value } = await this.#body.read();
      if (!this.#isOpen) return;
      this.#bodyEnded = done;
      if (done) this.#decoder.flush();
      else this.#decoder.feed(value);
    } catch (error) {
      this.#bodyEnded = true;
      this.#endOfBody(error);
    } finally {
      this.#pendingRead = undefined;
      // The time that a slow consumer takes between two reads is not idle time, unless the consumer no longer exists.
      if (!this.#abandoned) this.#idleTimer.pause();
    }
  }

  /** Returns the chunk of an event. Any other event ends the stream, complete or not. */
  #processEvent({ data, event }: StreamEvent): ChatCompletionChunk | undefined {
    if (data === '[DONE]') return this.#complete();
    const value = parseJson(data);
    // Only the last event of a body can be incomplete JSON because the stream was truncated.
    if (value === undefined && this.#bodyEnded) return this.#endOfBody();
    if (event === 'error' || isErrorEvent(value)) {
      return this.#fail(this.#errors.streamErrorEvent(data));
    }
    if (!isChunk(value)) {
      return this.#failInvalid(
        `expected a chat completion chunk, received ${singleLine(data, 100)}`,
      );
    }
    this.#accumulator.add(value);
    return value;
  }

  /** The body ended without `[DONE]`; `error` is set if the connection broke. */
  #endOfBody(error?: unknown): undefined {
    if (this.#accumulator.isFinished(this.#choiceCount)) this.#complete();
    else {
      const event = 'The stream was truncated';
      const problem = 'it ended without [DONE]';
      this.#fail(this.#errors.bodyInterrupted(StreamTruncatedError, event, problem, error));
    }
  }

  /** Completes the stream, or fails it if it had no chunks. */
  #complete(): undefined {
    if (!this.#accumulator.hasChunks) return this.#failInvalid('it contained no chunks');
    this.#end(this.#accumulator);
    if (this.#bodyEnded) return;
    // Keep reading to the end of the body, so that the connection can be reused.
    const stopTimer = startTimer(this.clock, closeTimeout, () => this.#cancelBody());
    this.#drainBody().then(stopTimer, stopTimer);
  }

  /** Reads the body to its end, and cancels one that does not end. */
  async #drainBody(): Promise<void> {
    for (let size = 0; size < maxTrailingBytes;) {
      const { done, value } = await this.#body.read();
      if (done) return;
      size += value.byteLength;
    }
    this.#cancelBody();
  }

  /** Fails the stream and cancels the body. Has no effect on a stream that has already ended. */
  #fail(failure: PolygateError): undefined {
    if (!this.#isOpen) return;
    this.#failure = failure;
    this.#end(Promise.reject(failure));
    this.#cancelBody();
  }

  #end(final: FinalCompletion | Promise<never>): void {
    this.#isOpen = false;
    this.#settleFinal(final);
    this.#release();
    this.onEnd();
  }

  #failInvalid(problem: string): undefined {
    return this.#fail(this.#errors.invalidStream(problem));
  }

  #cancelBody(): void {
    this.#body.cancel().catch(() => undefined);
  }
}

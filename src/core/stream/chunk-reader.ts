import type { PolygateError } from '../../errors/base.ts';
import type { ChatCompletion, ChatCompletionChunk } from '../../schemas/chat-completion.ts';
import type { ResponseMeta } from '../../schemas/meta.ts';
import { Accumulator } from './accumulator.ts';
import { parseChunk, isErrorEvent } from './chunk.ts';
import { startTimer, whenAborted } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { singleLine, parseJson } from '../http/json.ts';
import type { CallErrors } from '../call/errors.ts';
import { readBodyText } from '../http/response-body.ts';
import type { ResponseContext, ResponseHandler } from '../call/response.ts';
import { IdleTimer } from './idle-timer.ts';
import { EventDecoder } from './event-decoder.ts';
import type { StreamEvent } from './event-decoder.ts';
import type { Source, FinalCompletion } from './source.ts';

/** How long a connection may take to close after `[DONE]` before it is cut, ms. */
const closingTime = 100;

/** Finishes a call whose answer is a stream of chunks: from here on the reader holds the slot. */
export function openStream(
  choices: number,
  signal: AbortSignal | undefined,
): ResponseHandler<ChunkReader> {
  return async (arrival) => {
    const { response, meta, errors, config } = arrival;
    const type = response.headers.get('content-type') ?? 'nothing';
    if (response.body !== null && /^text\/event-stream\s*(;|$)/i.test(type)) {
      return new ChunkReader(arrival, response.body, choices, signal);
    }
    const text = await readBodyText(response, config.maxResponseBytes, arrival.signal).catch(
      () => '',
    );
    const problem = `text/event-stream was asked for, ${type} came`;
    throw errors.invalidResponse(meta, problem, parseJson(text) ?? text);
  };
}

/** What a reader needs of the answer that it reads. */
export interface Opened extends Pick<ResponseContext, 'errors' | 'retainSlot' | 'meta'> {
  readonly config: Pick<Config, 'clock' | 'maxEventBytes' | 'streamIdleTimeout'>;
}

/** Reads the chunks of one answer: bytes, events, chunks, and the proof that the end is the end. */
export class ChunkReader implements Source<ChatCompletionChunk> {
  readonly meta: ResponseMeta;
  readonly final: Promise<FinalCompletion>;
  readonly clock: Clock;
  readonly #config: Opened['config'];
  readonly #errors: CallErrors;
  readonly #body: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder: EventDecoder;
  readonly #parts = new Accumulator();
  readonly #choices: number;
  readonly #timer: IdleTimer;
  readonly #leave: () => void;
  #events: StreamEvent[] = [];
  #next = 0;
  #filling: Promise<void> | undefined;
  #deserted = false;
  #bodyEnded = false;
  #over = false;
  #failure: PolygateError | undefined;
  #resolve: (whole: FinalCompletion) => void = () => undefined;
  #reject: (failure: PolygateError) => void = () => undefined;

  constructor(
    { errors, config, retainSlot: hold, meta }: Opened,
    body: ReadableStream<Uint8Array>,
    choices: number,
    signal: AbortSignal | undefined,
  ) {
    this.meta = meta;
    this.clock = config.clock;
    this.final = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.final.catch(() => undefined);
    this.#config = config;
    this.#errors = errors;
    errors.partial = () => this.partial;
    this.#body = body.getReader();
    this.#decoder = new EventDecoder(config.maxEventBytes);
    this.#choices = choices;
    const ms = config.streamIdleTimeout;
    this.#timer = new IdleTimer(config.clock, ms, () => this.stop(errors.streamIdle(ms)));
    const release = hold();
    const stopListening = whenAborted(signal, (reason) => this.abort(reason));
    this.#leave = () => {
      this.#timer.stop();
      stopListening();
      release();
    };
    // A stream that nobody reads must not hold its slot for ever.
    this.#timer.start();
    if (signal?.aborted) this.abort(signal.reason);
  }

  /** What has arrived so far, put together. */
  get partial(): ChatCompletion | undefined {
    return this.#parts.hasChunks ? this.#parts.completion : undefined;
  }

  takeBuffered(): ChatCompletionChunk | undefined {
    while (this.#failure === undefined) {
      const event = this.#events[this.#next];
      if (event === undefined) return undefined;
      this.#next += 1;
      const value = this.#open(event);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  async next(): Promise<IteratorResult<ChatCompletionChunk, undefined>> {
    for (;;) {
      const value = this.takeBuffered();
      if (value !== undefined) return { done: false, value };
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#over) return { done: true, value };
      if (this.#bodyEnded && !this.#decoder.overflow) this.#end();
      else await (this.#filling ??= this.#fill());
    }
  }

  /** Ends it now: the body is cancelled, the slot given back, and reading on throws `failure`. */
  stop(failure: PolygateError): undefined {
    if (this.#over || this.#failure !== undefined) return;
    this.#failure = failure;
    this.#reject(failure);
    this.#leave();
    this.#body.cancel().catch(() => undefined);
  }

  abort(reason: unknown = new DOMException('The stream was aborted.', 'AbortError')): void {
    this.stop(this.#errors.aborted(reason));
  }

  abandon(): void {
    this.#deserted = true;
    if (!this.#over && this.#failure === undefined) this.#timer.start();
  }

  async #fill(): Promise<void> {
    if (this.#decoder.overflow) {
      const { maxEventBytes } = this.#config;
      return this.stop(
        this.#errors.invalidStream(`an event is longer than maxEventBytes (${maxEventBytes})`),
      );
    }
    this.#timer.start();
    try {
      const { done, value } = await this.#body.read();
      if (this.#failure !== undefined) return;
      this.#bodyEnded = done;
      this.#events = done ? this.#decoder.end() : this.#decoder.feed(value);
      this.#next = 0;
    } catch (error) {
      this.#bodyEnded = true;
      this.#end(error);
    } finally {
      this.#filling = undefined;
      // A slow reader may take its time; one that is gone may not.
      if (!this.#deserted) this.#timer.pause();
    }
  }

  #open({ data, event }: StreamEvent): ChatCompletionChunk | undefined {
    if (data === '[DONE]') return this.#finish();
    const value = parseJson(data);
    // Only the event that was under way when the bytes ended can be half an event.
    if (value === undefined && this.#bodyEnded) return this.#end();
    if (event === 'error' || isErrorEvent(value))
      return this.stop(this.#errors.streamErrorEvent(data));
    const chunk = parseChunk(value);
    if (chunk === undefined) {
      return this.stop(
        this.#errors.invalidStream(`an event is no chunk: ${singleLine(data, 100)}`),
      );
    }
    this.#parts.add(chunk);
    return chunk;
  }

  /** No more bytes: fine when every choice has finished, else the answer was cut off. */
  #end(error?: unknown): undefined {
    if (this.#parts.isFinished(this.#choices)) this.#finish();
    else this.stop(this.#errors.streamTruncated(error));
  }

  /** The end is proven. The connection closes by itself, as a rule at once, and can then be used again. */
  #finish(): undefined {
    if (!this.#parts.hasChunks) return this.stop(this.#errors.invalidStream('it held no chunk'));
    this.#over = true;
    this.#resolve(this.#parts);
    this.#events = [];
    this.#leave();
    if (this.#bodyEnded) return;
    const cut = () => void this.#body.cancel().catch(() => undefined);
    const stopTimer = startTimer(this.clock, closingTime, cut);
    this.#body.read().then(({ done }) => {
      stopTimer();
      if (!done) cut();
    }, stopTimer);
  }
}

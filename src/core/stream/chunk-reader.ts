import type { PolygateError } from '../../errors/base.ts';
import { StreamTruncatedError } from '../../errors/stream.ts';
import type { ChatCompletionChunk } from '../../types/chat/completion.ts';
import type { ResponseContext, ResponseHandler } from '../call/response.ts';
import { whenAborted } from '../config/clock.ts';
import type { Config } from '../config/config.ts';
import { createIdleTimer } from '../http/idle-timer.ts';
import { singleLine, parseJson } from '../http/json.ts';
import { finishBody, isEventStream, readBodyText, readerOf } from '../http/response-body.ts';
import { createAccumulator } from './accumulator.ts';
import type { Accumulator } from './accumulator.ts';
import { isComplete, isErrorEvent, normalizeChunk } from './chunk.ts';
import { createEventDecoder } from './event-decoder.ts';
import type { StreamEvent } from './event-decoder.ts';
import type { Source, FinalCompletion } from './source.ts';

/** Handles a streaming response. The returned reader holds the concurrency slot until the stream ends. */
export function openStream(
  choiceCount: number,
  signal: AbortSignal | undefined,
): ResponseHandler<ChunkReader> {
  return async (context) => {
    const { response, errors, config } = context;
    const { body } = response;
    if (body !== null && isEventStream(response)) {
      return readChunks(context, readerOf(response, body), choiceCount, signal);
    }
    const text = await readBodyText(response, config.maxResponseBytes, context.signal).catch(
      () => '',
    );
    const type = response.headers.get('content-type') ?? 'no content type';
    const problem = `expected an event stream, received ${type}`;
    throw errors.invalidResponse(context.meta(), problem, parseJson(text) ?? text);
  };
}

/** The parts of a response context that a reader needs. */
interface ReaderContext extends Pick<
  ResponseContext,
  'errors' | 'history' | 'lease' | 'meta' | 'span'
> {
  readonly config: Pick<Config, 'clock' | 'maxEventBytes' | 'streamIdleTimeout'>;
}

/** The source of a streaming response. */
export interface ChunkReader extends Source<ChatCompletionChunk> {
  /** Called as soon as the stream has ended, complete or not. */
  onEnd: () => void;
}

/**
 * Reads one streaming response: bytes become events, and events become chunks, which are also accumulated.
 *
 * A reader is open until it either completes or fails; both are final. A stream is proven complete by `[DONE]`, or by
 * the end of the body, clean or not, once every requested choice has a `finish_reason`. Any other end of the body is a
 * `StreamTruncatedError`. Completing and failing both settle `final` and release the slot, the timer and the abort
 * listener.
 */
export function readChunks(
  { errors, history, config, lease, meta, span }: ReaderContext,
  body: ReadableStreamDefaultReader<Uint8Array>,
  choiceCount: number,
  signal: AbortSignal | undefined,
): ChunkReader {
  const { clock, maxEventBytes, streamIdleTimeout: ms } = config;
  /** Created by the first chunk. */
  let accumulator: Accumulator | undefined;
  const decode = createEventDecoder(maxEventBytes);
  const releaseSlot = lease.transfer();
  const idleTimer = createIdleTimer(clock, ms, () => fail(errors.streamIdle(ms)));
  const stopListening = whenAborted(signal, abort);
  /** The decoded items in reverse order, because taking the first one out of many would take linear time. */
  let items: (ChatCompletionChunk | (() => undefined))[] = [];
  let pendingRead: Promise<void> | undefined;
  let bodyEnded = false;
  let isAbandoned = false;
  let isOpen = true;
  let settleFinal: (final: FinalCompletion | Promise<never>) => void = () => undefined;
  const final = new Promise<FinalCompletion>((resolve) => {
    settleFinal = resolve;
  });
  final.catch(() => undefined);
  const reader: ChunkReader = {
    get meta() {
      return meta();
    },
    final,
    clock,
    onEnd() {},
    get partial() {
      return accumulator?.completion;
    },
    takeBuffered,
    async next() {
      for (;;) {
        const value = takeBuffered();
        if (value !== undefined) return { done: false, value };
        if (!isOpen) {
          await final;
          return { done: true, value };
        }
        if (bodyEnded) endOfBody();
        else await (pendingRead ??= read());
      }
    },
    abort,
    abandon() {
      isAbandoned = true;
      if (isOpen) idleTimer.start();
    },
  };
  history.partial = () => reader.partial;
  // A stream that is never read must not hold its slot forever.
  idleTimer.start();
  if (signal?.aborted) abort(signal.reason);
  return reader;

  function takeBuffered(): ChatCompletionChunk | undefined {
    const item = isOpen ? items.pop() : undefined;
    if (typeof item !== 'object') return item?.();
    if (!accumulator) span?.event({ type: 'first-chunk' });
    (accumulator ??= createAccumulator()).add(item);
    return item;
  }

  function abort(reason: unknown = AbortSignal.abort().reason): void {
    fail(errors.aborted(reason));
  }

  /** Reads one network chunk and decodes the events that it completes. */
  async function read(): Promise<void> {
    idleTimer.start();
    try {
      const { done, value } = await body.read();
      bodyEnded = done;
      items = decode(value).map(processEvent).toReversed();
    } catch (error) {
      bodyEnded = true;
      endOfBody(error);
    }
    pendingRead = undefined;
    // The time that a slow consumer takes between two reads is not idle time, unless the consumer no longer exists.
    if (!isAbandoned) idleTimer.pause();
  }

  /** Returns the chunk of an event, or a function that ends the stream. */
  function processEvent({ data, event }: StreamEvent): ChatCompletionChunk | (() => undefined) {
    if (data === undefined) {
      return () => failInvalid(`an event exceeds maxEventBytes (${maxEventBytes})`);
    }
    if (data === '[DONE]') return complete;
    const value = parseJson(data);
    // Only the last event of a body can be incomplete JSON because the stream was truncated.
    if (value === undefined && bodyEnded) return () => endOfBody();
    if (event === 'error' || isErrorEvent(value)) return () => fail(errors.streamErrorEvent(data));
    return (
      normalizeChunk(value) ??
      (() => failInvalid(`expected a chat completion chunk, received ${singleLine(data, 100)}`))
    );
  }

  /** The body ended without `[DONE]`; `error` is set if the connection broke. */
  function endOfBody(error?: unknown): undefined {
    if (accumulator && isComplete(accumulator.finishReasons, choiceCount)) return complete();
    const event = 'The stream was truncated';
    const problem = 'it ended without [DONE]';
    return fail(errors.bodyInterrupted(StreamTruncatedError, event, problem, error));
  }

  /** Completes the stream, or fails it if it had no chunks. */
  function complete(): undefined {
    if (accumulator === undefined) return failInvalid('it contained no chunks');
    end(accumulator);
    span?.end({ data: accumulator.completion, meta });
    if (!bodyEnded) finishBody(body, clock);
  }

  /** Fails the stream and cancels the body. Has no effect on a stream that has already ended. */
  function fail(failure: PolygateError): undefined {
    if (!isOpen) return;
    end(Promise.reject(failure));
    span?.end({ error: failure });
    cancelBody();
  }

  function failInvalid(problem: string): undefined {
    return fail(errors.invalidStream(problem));
  }

  function end(result: FinalCompletion | Promise<never>): void {
    isOpen = false;
    settleFinal(result);
    idleTimer.stop();
    stopListening();
    releaseSlot();
    reader.onEnd();
  }

  function cancelBody(): void {
    body.cancel().catch(() => undefined);
  }
}

import type { ChatCompletionChunk } from '../../types/chat/completion.ts';
import type { ResponseContext } from '../call/response.ts';
import type { Config } from '../config/config.ts';
import type { BodyReader } from '../http/direct-response.ts';
import { singleLine, parseJson } from '../http/json.ts';
import { isEventStream, readBodyText, readerOf } from '../http/response-body.ts';
import { WatchedBody } from '../http/watched-body.ts';
import { createAccumulator } from './accumulator.ts';
import type { Accumulator } from './accumulator.ts';
import { parseChunk, reportedError, tooLargeProblem } from './chunk.ts';
import { Completeness, isDone } from './completeness.ts';
import { createEventDecoder } from './event-decoder.ts';
import type { StreamEvent } from './event-decoder.ts';
import type { Source, FinalCompletion } from './source.ts';

/** Reads a response that has to be an event stream. */
export async function readStream(
  context: ResponseContext,
  choiceCount: number,
  signal: AbortSignal | undefined,
): Promise<ChunkReader> {
  const { response, errors, config } = context;
  const body = isEventStream(response) ? readerOf(response) : undefined;
  if (body) return readChunks(context, body, choiceCount, signal);
  const text = await readBodyText(response, config.maxResponseBytes, context.signal).catch(
    () => '',
  );
  const type = response.headers.get('content-type') ?? 'no content type';
  const problem = `expected an event stream, received ${type}`;
  throw errors.invalidResponse(context.meta(), problem, parseJson(text) ?? text);
}

/** The parts of a response context that a reader needs. */
type ReaderContext = Pick<ResponseContext, 'history' | 'errors' | 'lease' | 'meta' | 'span'> & {
  readonly config: Pick<Config, 'clock' | 'maxEventBytes' | 'streamIdleTimeout'>;
};

/** The source of a streaming response. */
export interface ChunkReader extends Source<ChatCompletionChunk> {
  /** Called as soon as the stream has ended, complete or not. */
  onEnd: () => void;
}

/**
 * Reads one streaming response: bytes become events, events become chunks, and chunks accumulate to the completion.
 * {@link Completeness} decides whether the stream is complete when it ends. `choiceCount` is the number of choices that
 * were requested, if it is known.
 */
export function readChunks(
  { history, errors, config, lease, meta, span }: ReaderContext,
  bytes: BodyReader,
  choiceCount: number | undefined,
  signal: AbortSignal | undefined,
): ChunkReader {
  const { clock, maxEventBytes } = config;
  /** Created by the first chunk. */
  let accumulator: Accumulator | undefined;
  const completeness = new Completeness(choiceCount);
  const decode = createEventDecoder(maxEventBytes);
  /** The chunks of the last read. Those before `position` have been taken. */
  let chunks: ChatCompletionChunk[] = [];
  let position = 0;
  /** The event after them that is no chunk, and therefore ends the stream. */
  let lastEvent: StreamEvent | undefined;
  let pendingRead: Promise<void> | undefined;
  const releaseSlot = lease.transfer();
  let settleFinal: (final: FinalCompletion | Promise<never>) => void = () => undefined;
  const final = new Promise<FinalCompletion>((resolve) => (settleFinal = resolve));
  final.catch(() => undefined);
  const body = new WatchedBody(bytes, {
    config,
    signal,
    isTimedBeforeFirstRead: true,
    idle: (ms) => errors.streamIdle(ms),
    aborted: (reason) => errors.aborted(reason),
    onEnd(error) {
      settleFinal(error === undefined && accumulator ? accumulator : Promise.reject(error));
      releaseSlot();
      reader.onEnd();
      span?.end(error === undefined ? { data: accumulator?.completion, meta } : { error });
    },
  });
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
        if (!body.isOpen) {
          await final;
          return { done: true, value };
        }
        if (body.isAtEnd) end('body');
        else await (pendingRead ??= body.read(receive));
      }
    },
    abort: (reason = AbortSignal.abort().reason) => body.abort(reason),
    abandon: () => body.abandon(),
  };
  history.readPartial = () => reader.partial;
  body.start();
  return reader;

  /** Decodes one network chunk. */
  function receive(received: Uint8Array | undefined, error?: unknown): void {
    pendingRead = undefined;
    if (error !== undefined) return end('body', error);
    chunks = [];
    position = 0;
    for (const event of decode(received)) {
      const chunk = parseChunk(event);
      if (chunk === undefined) {
        lastEvent = event;
        break;
      }
      chunks.push(chunk);
    }
  }

  function takeBuffered(): ChatCompletionChunk | undefined {
    if (!body.isOpen) return undefined;
    const chunk = chunks[position];
    if (chunk === undefined) {
      if (lastEvent) endWith(lastEvent);
      return undefined;
    }
    position += 1;
    if (!accumulator) span?.event({ type: 'first-chunk' });
    (accumulator ??= createAccumulator()).add(chunk);
    completeness.add(chunk);
    return chunk;
  }

  function endWith(event: StreamEvent): void {
    if (isDone(event)) return end('done');
    const { data } = event;
    if (data === undefined) return failInvalid(tooLargeProblem(maxEventBytes));
    // Only the last event of a body can be incomplete JSON because the stream was truncated.
    if (body.isAtEnd && parseJson(data) === undefined) return end('body');
    const reported = reportedError(errors, event);
    if (reported) return body.fail(reported);
    failInvalid(`expected a chat completion chunk, received ${singleLine(data, 100)}`);
  }

  function end(how: 'done' | 'body', lost?: unknown): void {
    const error = completeness.errorAtEnd(errors, how, lost);
    if (error) body.fail(error);
    else body.complete();
  }

  function failInvalid(problem: string): void {
    body.fail(errors.invalidStream(problem));
  }
}

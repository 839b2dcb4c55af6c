import type { ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import { streamIdle } from '../call/body-errors.ts';
import type { CallErrors } from '../call/errors.ts';
import type { ReceivedResponse } from '../call/response.ts';
import type { Span } from '../config/caller.ts';
import type { Config } from '../config/config.ts';
import { parseJson, singleLine, stringify } from '../http/json.ts';
import type { BodyReader } from '../http/response-body.ts';
import { WatchedBody } from '../http/watched-body.ts';
import { createAccumulator } from './accumulator.ts';
import type { Accumulator } from './accumulator.ts';
import { parseChunk, CompleteMessages } from './chunk.ts';
import { Completeness } from './completeness.ts';
import { createEventDecoder } from './event-decoder.ts';
import { isDone, isKeepAlive } from './other-events.ts';
import type { StreamEvent } from './other-events.ts';
import type { Source, FinalCompletion } from './source.ts';

/** What a reader needs of a response and its call. */
type ReaderContext = Pick<ReceivedResponse, 'lease' | 'meta'> & {
  readonly call: CallErrors;
  readonly span?: Span | undefined;
  readonly config: Pick<Config, 'clock' | 'maxEventBytes' | 'streamIdleTimeout'> &
    Partial<Pick<Config, 'log'>>;
};

/** The source of a streaming response. */
export interface ChunkReader extends Source<ChatCompletionChunk> {
  /** Called as soon as the stream has ended, complete or not. */
  onEnd: () => void;
}

/**
 * Holds a chunk of the last read, kept although it is never used: engines discard the code that they compiled for objects of one
 * shape when no such object is left, as between two streams. The next stream replaces it.
 */
const samples: (ChatCompletionChunk | undefined)[] = [];

/**
 * Reads one streaming response: bytes become events, events become chunks, and chunks accumulate to the completion.
 * {@link Completeness} decides whether the stream is complete when it ends. `choiceCount` is the number of choices that
 * were requested, if it is known.
 */
export function readChunks(
  { call, span, config, lease, meta }: ReaderContext,
  bytes: BodyReader,
  choiceCount: number | undefined,
  signal: AbortSignal | undefined,
): ChunkReader {
  const { clock, maxEventBytes, log } = config;
  /** Created by the first chunk. */
  let accumulator: Accumulator | undefined;
  const completeness = new Completeness(choiceCount);
  const decode = createEventDecoder(maxEventBytes, () => {
    log?.warn(() => 'A streamed chat: received JSON in place of an event stream, which was read.');
  });
  /** Created by the first chunk with a message in place of a delta. */
  let messages: CompleteMessages | undefined;
  /** The events of the last read. Those before `parsed` have been parsed. */
  let events: StreamEvent[] = [];
  let parsed = 0;
  /** The chunks of the last read. Those before `position` have been taken. */
  let chunks: ChatCompletionChunk[] = [];
  let position = 0;
  /** The event after them that is no chunk, and therefore ends the stream. */
  let lastEvent: StreamEvent | undefined;
  /** The choices before an event that is a failure unless the chat continues after it. */
  let suspectedAfter: unknown;
  let pendingRead: Promise<void> | undefined;
  const releaseSlot = lease.transfer();
  let settleFinal: (final: FinalCompletion | Promise<never>) => void = () => undefined;
  const final = new Promise<FinalCompletion>((resolve) => (settleFinal = resolve));
  final.catch(() => undefined);
  const body = new WatchedBody(bytes, {
    config,
    signal,
    isTimedBeforeFirstRead: true,
    idle: (ms) => streamIdle(call, ms),
    aborted: (reason) => call.aborted(reason),
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
  call.readPartial = () => reader.partial;
  body.start();
  return reader;

  /** Decodes one network chunk. */
  function receive(received: Uint8Array | undefined, error?: unknown): void {
    pendingRead = undefined;
    if (error !== undefined) return end('body', error);
    events = decode(received);
    parsed = 0;
    parse();
  }

  function onMessage(): void {
    messages ??= new CompleteMessages();
  }

  /** Parses the events up to the next one that is neither a chunk nor a keep-alive. */
  function parse(): void {
    chunks = [];
    position = 0;
    lastEvent = undefined;
    for (let event; (event = events[parsed]);) {
      parsed += 1;
      const chunk = parseChunk(event, onMessage);
      if (chunk !== undefined) chunks.push(chunk);
      else if (!isKeepAlive(event)) {
        lastEvent = event;
        return;
      }
    }
    // Their text could otherwise be kept until the next read.
    events = [];
    if (chunks.length > 2) samples[0] = chunks[1];
  }

  function takeBuffered(): ChatCompletionChunk | undefined {
    if (!body.isOpen) return undefined;
    let chunk = chunks[position];
    while (chunk === undefined) {
      if (lastEvent === undefined || endsWith(lastEvent)) return undefined;
      parse();
      chunk = chunks[position];
    }
    position += 1;
    messages?.addDeltas(chunk, () => accumulator?.completion);
    if (!accumulator) span?.event({ type: 'first-chunk' });
    (accumulator ??= createAccumulator()).add(chunk);
    completeness.add(chunk);
    return chunk;
  }

  /** Ends the stream with an event that is no chunk. Returns false if the event proves nothing. */
  function endsWith(event: StreamEvent): boolean {
    if (isDone(event)) {
      end('done');
      return true;
    }
    const { data } = event;
    // Nothing can be decoded after an event without data. Only the last event of a body can be incomplete JSON, because the
    // stream was truncated.
    const isCutOff =
      data === undefined ? completeness.isFinal : body.isAtEnd && parseJson(data) === undefined;
    if (isCutOff) {
      end('body');
      return true;
    }
    const judged = completeness.judge(call, event, maxEventBytes);
    if (judged === 'ignored') {
      if (completeness.suspect === event) suspectedAfter = reader.partial?.choices;
      return false;
    }
    const problem = `expected a chat completion chunk, received ${singleLine(data ?? '', 100)}`;
    body.fail(judged ?? call.invalidStream(problem));
    return true;
  }

  function end(how: 'done' | 'body', lost?: unknown): void {
    const { suspect } = completeness;
    // Compared only here, because a chunk must not cost more for an event that few streams contain.
    if (suspect && stringify(suspectedAfter ?? []) !== stringify(reader.partial?.choices ?? [])) {
      completeness.continueAfter(suspect, log);
    }
    const error = completeness.errorAtEnd(call, how, lost);
    if (error) body.fail(error);
    else body.complete();
  }
}

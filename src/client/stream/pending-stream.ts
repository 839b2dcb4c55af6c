import type { ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { ApiResponse, ResponseHandler } from '../call/response.ts';
import { forwardAbort, systemClock } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import {
  checkOptions,
  clockValue,
  durationMs,
  positiveInteger,
  signalRule,
  standardSchema,
} from '../config/validation.ts';
import type { Rules } from '../config/validation.ts';
import { Part } from '../http/part.ts';
import { emptyMeta } from '../http/response-meta.ts';
import type { ChunkReader } from './chunk-reader.ts';
import type { Source } from './source.ts';

/** What reads streams. A call that opens one lists it in `parts`, so it is loaded before any stream is open. */
export const streamReader = /* @__PURE__ */ new Part(() => import('./reading.ts'));

/** Handles a streaming response. The returned reader holds the concurrency slot until the stream ends. */
export function openStream(
  choiceCount: number,
  signal: AbortSignal | undefined,
): ResponseHandler<ChunkReader> {
  return async (received) => {
    const { readStream } = streamReader.loaded ?? (await streamReader.load());
    return readStream(received, choiceCount, signal);
  };
}

/**
 * The source of a stream whose response headers may not have arrived yet. Reading it waits for them. `open` sends the
 * request. Its signal ends the request and the stream, and aborts when the caller's `signal` aborts or `abort()` is
 * called. `meta` is known before the headers.
 */
export function pendingStream(
  open: (signal: AbortSignal) => Promise<Pick<ApiResponse<ChunkReader>, 'data'>>,
  signal: AbortSignal | undefined,
  clock: Clock,
  meta?: ResponseMeta,
): Source<ChatCompletionChunk> {
  const controller = new AbortController();
  const stopListening = forwardAbort(signal, controller);
  let reader: ChunkReader | undefined;
  const opening = open(controller.signal).then(({ data }) => {
    data.onEnd = stopListening;
    return (reader = data);
  });
  const final = opening.then((opened) => opened.final);
  final.then(stopListening, stopListening);
  return {
    final,
    clock,
    get meta() {
      return reader?.meta ?? meta;
    },
    get partial() {
      return reader?.partial;
    },
    next: () => reader?.next() ?? opening.then((opened) => opened.next()),
    takeBuffered: () => reader?.takeBuffered(),
    abort: (reason) => controller.abort(reason),
    abandon() {
      opening.then(
        (opened) => opened.abandon(),
        () => undefined,
      );
    },
  };
}

/** Options of `fromReadableStream()`. */
export interface RelayedStreamOptions {
  /** Aborts the stream immediately with an `AbortedError` whose `cause` is the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Time without a byte, in ms, before the stream fails with `StreamIdleTimeoutError`. Comments count as bytes.
   * @defaultValue 60,000
   */
  streamIdleTimeout?: number | undefined;
  /**
   * Maximum size of one event in bytes. A longer event fails the stream with `StreamError`.
   * @defaultValue 64 MiB
   */
  maxEventBytes?: number | undefined;
  /**
   * Clock for `streamIdleTimeout`.
   * @defaultValue the system clock
   */
  clock?: Clock | undefined;
}

/** The rules of these options, and of the `schema` of a chat stream. */
const relayRules: Rules = {
  signal: signalRule,
  streamIdleTimeout: durationMs,
  maxEventBytes: positiveInteger,
  clock: clockValue,
  schema: standardSchema,
};

/**
 * Reads a stream that another client has relayed with `toReadableStream()`. Only that client knows how many choices
 * were requested, so that only `[DONE]` proves the stream complete.
 */
export function relayedStream(
  readable: ReadableStream<Uint8Array>,
  options: RelayedStreamOptions = {},
): Source<ChatCompletionChunk> {
  checkOptions(options, relayRules);
  // Now, because the caller may change the object while the part is loading.
  const given = { ...options };
  const bytes = readable.getReader();
  const open = async (signal: AbortSignal) => {
    try {
      // The other client may have paid for the stream.
      const { readRelayed } = await streamReader.load({ signal, details: { outcome: 'unknown' } });
      return { data: readRelayed(bytes, given, signal) };
    } catch (error) {
      bytes.cancel(error).catch(() => undefined);
      throw error;
    }
  };
  return pendingStream(open, options.signal, options.clock ?? systemClock, emptyMeta());
}

import type { ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import type { ApiResponse, ResponseHandler } from '../call/response.ts';
import { forwardAbort } from '../config/clock.ts';
import type { Clock } from '../config/clock.ts';
import { Part } from '../http/part.ts';
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

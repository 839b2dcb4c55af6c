import type { ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import { systemClock } from '../config/clock.ts';
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
import { emptyMeta } from '../http/response-meta.ts';
import { streamReader, pendingStream } from './pending-stream.ts';
import type { Source } from './source.ts';

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

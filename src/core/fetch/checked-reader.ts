import type { PolygateError } from '../../errors/base.ts';
import { StreamTruncatedError } from '../../errors/stream.ts';
import type { ResponseContext } from '../call/response.ts';
import type { OpenReader } from '../call/unread-body.ts';
import { parseJson } from '../http/json.ts';
import { finishBody } from '../http/response-body.ts';
import { createAccumulator } from '../stream/accumulator.ts';
import type { Accumulator } from '../stream/accumulator.ts';
import { isComplete, isErrorEvent, normalizeChunk } from '../stream/chunk.ts';
import { createEventDecoder } from '../stream/event-decoder.ts';

/**
 * Reads a streamed chat unchanged, and checks it: it must end with `[DONE]`, or with a `finish_reason` for each of
 * `choiceCount` choices, unless the service has reported an error in the stream. Everything else is left to the caller.
 */
export function checkedReader(choiceCount: number): OpenReader {
  return (context, reader) => {
    const check = createCheck(context, choiceCount);
    return {
      async read() {
        try {
          const result = await reader.read().catch((error: unknown) => {
            // The connection can break after the stream is complete.
            check(undefined, error);
            return { done: true, value: undefined };
          });
          const isLast = check(result.value);
          if (isLast && !result.done) finishBody(reader, context.config.clock);
          return { ...result, isLast };
        } catch (error) {
          reader.cancel(error).catch(() => undefined);
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    };
  };
}

/**
 * The returned function is called with the bytes of each read, and without bytes at the end of the body, or when it
 * breaks off with `error`. It returns whether the stream is complete, and throws the error that ends it.
 */
function createCheck(
  { errors, meta, span, config: { maxEventBytes } }: ResponseContext,
  choiceCount: number,
): (bytes: Uint8Array | undefined, error?: unknown) => boolean {
  const decode = createEventDecoder(maxEventBytes);
  /** The finish reason of each choice, by its index. */
  const finishReasons = new Map<number, unknown>();
  /** The first error that the service has reported in the stream. */
  let reported: PolygateError | undefined;
  /** Created by the first chunk. Only for telemetry: nothing else needs the completion. */
  let accumulator: Accumulator | undefined;

  /** Returns whether the event is the last one. */
  function checkEvent(data: string | undefined, type: string | undefined): boolean {
    if (data === undefined) {
      throw errors.invalidStream(`an event exceeds maxEventBytes (${maxEventBytes})`);
    }
    if (data === '[DONE]') return true;
    const value = parseJson(data);
    if (type === 'error' || isErrorEvent(value)) {
      reported ??= errors.streamErrorEvent(data);
      return false;
    }
    const chunk = normalizeChunk(value);
    if (!chunk) return false;
    if (!accumulator) span?.event({ type: 'first-chunk' });
    if (span) (accumulator ??= createAccumulator()).add(chunk);
    for (const { index, finish_reason } of chunk.choices) {
      finishReasons.set(index, finish_reason || finishReasons.get(index));
    }
    return false;
  }

  return (bytes, error) => {
    const events = error === undefined ? decode(bytes) : [];
    const isDone = events.some(({ data, event }) => checkEvent(data, event));
    if (!isDone && bytes !== undefined) return false;
    if (isDone || reported || isComplete([...finishReasons.values()], choiceCount)) {
      span?.end({ error: reported, data: accumulator?.completion, meta });
      return true;
    }
    const problem = 'it ended without [DONE]';
    throw errors.bodyInterrupted(StreamTruncatedError, 'The stream was truncated', problem, error);
  };
}

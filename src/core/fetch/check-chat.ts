import type { PolygateError } from '../../errors/base.ts';
import type { ResponseContext } from '../call/response.ts';
import { parseJson } from '../http/json.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { createAccumulator } from '../stream/accumulator.ts';
import type { Accumulator } from '../stream/accumulator.ts';
import { isComplete, isErrorEvent, normalizeChunk, truncated } from '../stream/chunk.ts';
import { createEventDecoder } from '../stream/event-decoder.ts';

/**
 * Creates the check of a streamed chat: it must end with `[DONE]`, or with a `finish_reason` for each of `choiceCount`
 * choices, unless the service has reported an error in the stream. Everything else is left to the caller.
 */
export const checkChat =
  (choiceCount: number) =>
  ({ errors, meta, span, config }: ResponseContext): BodyCheck => {
    const { maxEventBytes } = config;
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
      throw truncated(errors, error);
    };
  };

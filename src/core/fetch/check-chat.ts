import type { StreamError } from '../../errors/stream.ts';
import type { ResponseContext } from '../call/response.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { createAccumulator } from '../stream/accumulator.ts';
import type { Accumulator } from '../stream/accumulator.ts';
import { parseChunk, reportedError, tooLargeProblem } from '../stream/chunk.ts';
import { Completeness, isDone, truncated } from '../stream/completeness.ts';
import { createEventDecoder } from '../stream/event-decoder.ts';
import type { StreamEvent } from '../stream/event-decoder.ts';

/**
 * Creates the check of a streamed chat, whose bytes are passed on as they are. The stream must be complete, as
 * {@link Completeness} defines it, unless the service has reported an error in it. Everything else in its events is left to
 * the caller.
 */
export const checkChat =
  (choiceCount: number) =>
  ({ errors, meta, span, config }: ResponseContext): BodyCheck => {
    const { maxEventBytes } = config;
    const decode = createEventDecoder(maxEventBytes);
    const completeness = new Completeness(choiceCount);
    /** The first error that the service has reported in the stream. */
    let reported: StreamError | undefined;
    /** Created by the first chunk. Only for telemetry: nothing else needs the completion. */
    let accumulator: Accumulator | undefined;

    /** Returns whether the event is the last one. */
    function checkEvent(event: StreamEvent): boolean {
      if (isDone(event)) return true;
      const chunk = parseChunk(event);
      if (chunk) {
        completeness.add(chunk);
        if (!accumulator) span?.event({ type: 'first-chunk' });
        if (span) (accumulator ??= createAccumulator()).add(chunk);
      } else if (event.data === undefined) {
        throw errors.invalidStream(tooLargeProblem(maxEventBytes));
      } else {
        reported ??= reportedError(errors, event);
      }
      return false;
    }

    return (bytes, error) => {
      const events = error === undefined ? decode(bytes) : [];
      const isComplete = events.some(checkEvent);
      if (!isComplete && bytes !== undefined) return false;
      if (isComplete || reported || completeness.isProven) {
        span?.end({ error: reported, data: accumulator?.completion, meta });
        return true;
      }
      throw truncated(errors, error);
    };
  };

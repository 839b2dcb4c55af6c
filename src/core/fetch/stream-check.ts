import { StreamTruncatedError } from '../../errors/stream.ts';
import type { ResponseContext } from '../call/response.ts';
import type { StreamCheck } from '../call/unread-body.ts';
import { parseJson } from '../http/json.ts';
import { isChunk, isErrorEvent } from '../stream/chunk.ts';
import { createEventDecoder } from '../stream/event-decoder.ts';

/**
 * Checks a streamed chat while it passes through: it must end with `[DONE]`, or with a `finish_reason` for each of
 * `choiceCount` choices, unless the service has reported an error in the stream. Everything else is left to the reader.
 */
export function createStreamCheck(choiceCount: number) {
  return ({ errors, config: { maxEventBytes } }: ResponseContext): StreamCheck => {
    const decode = createEventDecoder(maxEventBytes);
    /** Whether a choice is finished, by its index. */
    const choices = new Map<number, boolean>();
    let hasError = false;

    /** Returns whether the event is the last one. */
    function checkEvent(data: string | undefined, type: string | undefined): boolean {
      if (data === undefined) {
        throw errors.invalidStream(`an event exceeds maxEventBytes (${maxEventBytes})`);
      }
      if (data === '[DONE]') return true;
      const value = parseJson(data);
      hasError ||= type === 'error' || isErrorEvent(value);
      if (isChunk(value)) {
        for (const { index, finish_reason } of value.choices) {
          choices.set(index, Boolean(finish_reason) || choices.get(index) === true);
        }
      }
      return false;
    }

    return (bytes, error) => {
      const events = error === undefined ? decode(bytes) : [];
      const isDone = events.some(({ data, event }) => checkEvent(data, event));
      if (isDone || bytes !== undefined) return isDone;
      const isFinished =
        choices.size >= Math.max(1, choiceCount) && ![...choices.values()].includes(false);
      if (isFinished || hasError) return true;
      const problem = 'it ended without [DONE]';
      throw errors.bodyInterrupted(
        StreamTruncatedError,
        'The stream was truncated',
        problem,
        error,
      );
    };
  };
}

import type { ChatCompletionChunk } from '../../wire/types/chat/completion.ts';
import type { ReceivedResponse } from '../call/response.ts';
import { singleLine } from '../http/json.ts';
import type { BodyCheck } from '../http/watched-body.ts';
import { createAccumulator } from '../stream/accumulator.ts';
import type { Accumulator } from '../stream/accumulator.ts';
import { parseChunk } from '../stream/chunk.ts';
import { CompleteMessages } from '../stream/complete-message.ts';
import { Completeness } from '../stream/completeness.ts';
import { createEventDecoder } from '../stream/event-decoder.ts';
import type { StreamEvent } from '../stream/event-decoder.ts';
import {
  ignoredStatus,
  isDone,
  isKeepAlive,
  isStandardError,
  mayBeStatus,
  reportedError,
  tooLargeProblem,
} from '../stream/other-events.ts';

/**
 * Creates the check of a streamed chat, whose bytes are passed on as they are: the stream must be complete, as
 * {@link Completeness} defines it. Everything else in its events is left to the caller.
 */
export function checkChat(choiceCount: number): (received: ReceivedResponse) => BodyCheck {
  return ({ call, meta }) => {
    const { config, span } = call;
    const { maxEventBytes } = config;
    const decode = createEventDecoder(maxEventBytes, (data) => {
      // The reader of an event stream would find nothing in it, and end without an error.
      throw (
        reportedError(call, { data }) ??
        call.invalidStream(`expected an event stream, received JSON: ${singleLine(data)}`)
      );
    });
    const completeness = new Completeness(choiceCount);
    const messages = new CompleteMessages();
    /** Created by the first chunk. Only for telemetry: nothing else needs the completion. */
    let accumulator: Accumulator | undefined;
    /** The last event that is a failure unless the chat continues after it. */
    let suspect: StreamEvent | undefined;

    return (bytes, error, deliver) => {
      const events = error === undefined ? decode(bytes) : [];
      let event: StreamEvent | undefined;
      try {
        for (event of events) if (addEvent(event)) return end('done');
        return bytes === undefined ? end('body', error) : false;
      } catch (failure) {
        // A reader that has received the end of the stream would not read on, and miss the failure.
        const part = bytes && (partBefore(bytes, suspect) ?? partBefore(bytes, event));
        if (part?.length) deliver?.(part);
        throw failure;
      }
    };

    function end(how: 'done' | 'body', lost?: unknown): true {
      const failure =
        (suspect && reportedError(call, suspect)) ?? completeness.errorAtEnd(call, how, lost);
      if (failure) throw failure;
      span?.end({ error: completeness.reported, data: accumulator?.completion, meta });
      return true;
    }

    /** Returns whether the event is the last one. */
    function addEvent(event: StreamEvent): boolean {
      const chunk = parseChunk(event);
      if (chunk) addChunk(chunk);
      else if (isDone(event)) return true;
      else if (!isKeepAlive(event)) addOther(event);
      return false;
    }

    function addOther(event: StreamEvent): void {
      if (completeness.isFinal) return;
      if (event.data === undefined) throw call.invalidStream(tooLargeProblem(maxEventBytes));
      const reported = reportedError(call, event);
      if (reported && mayBeStatus(event)) {
        suspect = event;
        return;
      }
      // Readers of the stream would not find it.
      if (reported && !isStandardError(event)) throw reported;
      completeness.addError(reported);
    }

    function addChunk(chunk: ChatCompletionChunk): void {
      completeness.add(chunk);
      if (suspect && chunk.choices.length > 0) {
        const status = suspect;
        config.log.warn(() => ignoredStatus(status));
        suspect = undefined;
      }
      if (!span) return;
      messages.addDeltas(chunk, () => accumulator?.completion);
      if (!accumulator) span.event({ type: 'first-chunk' });
      (accumulator ??= createAccumulator()).add(chunk);
    }
  };
}

/** The bytes before the line with the data of an event; undefined if it is not in them. */
function partBefore(bytes: Uint8Array, event: StreamEvent | undefined): Uint8Array | undefined {
  const [line = ''] = event?.data?.split('\n') ?? [];
  // One character per byte.
  const latin1 = new TextDecoder('latin1');
  const text = latin1.decode(bytes);
  const position = line === '' ? -1 : text.indexOf(latin1.decode(new TextEncoder().encode(line)));
  if (position < 0) return undefined;
  const before = text.slice(0, position);
  return bytes.subarray(0, Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
}

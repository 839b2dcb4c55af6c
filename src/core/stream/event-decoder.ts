import { createParser } from 'eventsource-parser';

/** One event of a stream. */
export interface StreamEvent {
  /** Missing if the event exceeds the limit. Nothing can be decoded after it. */
  readonly data?: string;
  /** The event type, if the event has one. */
  readonly event?: string | undefined;
}

/** Decodes the next bytes of a body, or its end if there are none, and returns the events that they complete. */
export type EventDecoder = (bytes: Uint8Array | undefined) => StreamEvent[];

/**
 * Creates the decoder of one event stream. It follows the WHATWG rules and a size limit. This is the only file that
 * depends on eventsource-parser.
 */
export function createEventDecoder(maxBytes: number): EventDecoder {
  // The parser itself removes a leading BOM; removing one here as well would drop a second BOM.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  let events: StreamEvent[];
  /** Number of characters since the last event, without comments: at least that of an unfinished event. */
  let pendingLength = 0;
  const parser = createParser({
    onEvent: (event) => {
      pendingLength = 0;
      const { data } = event;
      // A UTF-16 code unit takes at most three bytes.
      const mayBeTooLong = data.length * 3 > maxBytes;
      if (mayBeTooLong && new TextEncoder().encode(data).length > maxBytes) events.push({});
      else if (data !== '') events.push(event);
    },
    onComment: (comment) => {
      // The event that it may be part of has not ended.
      pendingLength -= comment.length + 2;
    },
  });
  return (bytes) => {
    events = [];
    // An unterminated event at the end of the body is an event too. Its data may be incomplete.
    const text = bytes ? utf8.decode(bytes, { stream: true }) : `${utf8.decode()}\n\n`;
    pendingLength += text.length;
    parser.feed(text);
    if (pendingLength > maxBytes) events.push({});
    return events;
  };
}

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
  let lineLength = 0;
  const rejectEvent = () => events.push({});
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent: (event) => {
      const { data } = event;
      // A UTF-16 code unit takes at most three bytes.
      const mayBeTooLong = data.length * 3 > maxBytes;
      if (mayBeTooLong && new TextEncoder().encode(data).length > maxBytes) rejectEvent();
      else if (data !== '') events.push(event);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') rejectEvent();
    },
  });
  return (bytes) => {
    events = [];
    // An unterminated event at the end of the body is an event too. Its data may be incomplete.
    const text = bytes ? utf8.decode(bytes, { stream: true }) : `${utf8.decode()}\n\n`;
    parser.feed(text);
    // The parser's own limit does not cover comments and unknown fields, which it discards.
    lineLength = /[\n\r]/.test(text) ? 0 : lineLength + text.length;
    if (lineLength > maxBytes) rejectEvent();
    return events;
  };
}

import { createParser } from 'eventsource-parser';

/** One event of a stream: its data, and its type when it has one. */
export interface StreamEvent {
  readonly data: string;
  readonly event: string | undefined;
}

/**
 * Turns the bytes of an event stream into events, by the WHATWG rules; the only file that knows eventsource-parser.
 * It decodes what it is given and reads nothing ahead.
 */
export class EventDecoder {
  /** Whether an event, or a line that never ends, was over the size limit: nothing more is decoded. */
  overflow = false;
  readonly #limit: number;
  // The parser removes the one leading BOM itself.
  readonly #text = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #parser;
  #events: StreamEvent[] = [];
  #lineLength = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#parser = createParser({
      maxBufferSize: limit,
      onEvent: ({ data, event }) => {
        if (isLonger(data, limit)) this.overflow = true;
        else if (data !== '' && !this.overflow) this.#events.push({ data, event });
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.overflow = true;
      },
    });
  }

  /** The events that these bytes complete. */
  feed(bytes: Uint8Array): StreamEvent[] {
    return this.#take(this.#text.decode(bytes, { stream: true }));
  }

  /** The event that was under way when the bytes ended, if any; whether it is whole is for the caller to see. */
  end(): StreamEvent[] {
    return this.#take(`${this.#text.decode()}\n\n`);
  }

  #take(text: string): StreamEvent[] {
    if (!this.overflow) this.#parser.feed(text);
    if (this.#isEndless(text)) this.overflow = true;
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Whether the line that this text ends in is too long: the parser forgets lines that can be no field. */
  #isEndless(text: string): boolean {
    const lineEnd = Math.max(lastIndexOf(text, '\n'), lastIndexOf(text, '\r'));
    this.#lineLength = lineEnd < 0 ? this.#lineLength + text.length : text.length - lineEnd - 1;
    return this.#lineLength > this.#limit;
  }
}

/** The same as the method; but that takes its time to find nothing. */
function lastIndexOf(text: string, character: string): number {
  return text.includes(character) ? text.lastIndexOf(character) : -1;
}

/** Whether a text is longer than so many bytes of UTF-8: no character takes more than three for each of its units. */
function isLonger(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && new TextEncoder().encode(text).byteLength > bytes;
}

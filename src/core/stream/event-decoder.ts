import { createParser } from 'eventsource-parser';

/** One event of a stream. */
export interface StreamEvent {
  readonly data: string;
  /** The event type, if the event has one. */
  readonly event: string | undefined;
}

/**
 * Decodes the bytes of an event stream into events, following the WHATWG rules and a size limit. This is the only file
 * that depends on eventsource-parser.
 */
export class EventDecoder {
  /** Set once an event or an unterminated line has exceeded the limit. Nothing more is decoded after that. */
  overflow = false;
  readonly maxBytes: number;
  // The parser itself removes a leading BOM; removing one here as well would drop a second BOM.
  readonly #utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #parser;
  /** Decoded events; those before `#taken` were taken. Removing them one by one would take quadratic time. */
  #events: StreamEvent[] = [];
  #taken = 0;
  /** Length of the unterminated line at the end of the input so far. */
  #lineLength = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#parser = createParser({
      maxBufferSize: maxBytes,
      onEvent: ({ data, event }) => {
        if (isLongerThan(data, maxBytes)) this.overflow = true;
        else if (data !== '' && !this.overflow) this.#events.push({ data, event });
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.overflow = true;
      },
    });
  }

  /** Takes the next decoded event, if there is one. */
  take(): StreamEvent | undefined {
    const event = this.#events[this.#taken];
    this.#taken += 1;
    if (event !== undefined) return event;
    this.#events = [];
    this.#taken = 0;
    return undefined;
  }

  /** Decodes the events that these bytes complete. */
  feed(bytes: Uint8Array): void {
    this.#parse(this.#utf8.decode(bytes, { stream: true }));
  }

  /** Decodes the unterminated event at the end of the body, if there is one. Its data may be incomplete. */
  flush(): void {
    this.#parse(`${this.#utf8.decode()}\n\n`);
  }

  #parse(text: string): void {
    if (!this.overflow) this.#parser.feed(text);
    if (this.#exceedsLineLimit(text)) this.overflow = true;
  }

  /**
   * Whether the unterminated line at the end of `text` is too long. The parser's own limit does not cover comments and
   * unknown fields, which it discards.
   */
  #exceedsLineLimit(text: string): boolean {
    const lineEnd = Math.max(lastIndexOf(text, '\n'), lastIndexOf(text, '\r'));
    this.#lineLength = lineEnd < 0 ? this.#lineLength + text.length : text.length - lineEnd - 1;
    return this.#lineLength > this.maxBytes;
  }
}

/** The same as the built-in method, which is slow if the character does not occur. */
function lastIndexOf(text: string, character: string): number {
  return text.includes(character) ? text.lastIndexOf(character) : -1;
}

/** Whether a text is longer than `maxBytes` in UTF-8, where a UTF-16 code unit takes at most three bytes. */
function isLongerThan(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).byteLength > maxBytes;
}

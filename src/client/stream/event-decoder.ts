import { createParser } from 'eventsource-parser';

import { isFinished } from '../../wire/types/chat/finished.ts';
import { isRecord } from '../../wire/types/type-guards.ts';
import { hasError } from '../http/failure.ts';
import { parseJson } from '../http/json.ts';
import { isFailure } from './other-events.ts';
import type { StreamEvent } from './other-events.ts';

/**
 * Creates the decoder of one event stream. It decodes the next bytes of a body, or its end if there are none, and returns the
 * events that they complete. It follows the WHATWG rules and a size limit. A body that is a completion or an
 * error as one JSON document counts as a complete stream with one event, before which `onDocument` is called. This is the
 * only file that depends on eventsource-parser.
 */
export function createEventDecoder(
  maxBytes: number,
  onDocument: (json: string) => void,
): (bytes: Uint8Array | undefined) => StreamEvent[] {
  /** The text of a body that begins like JSON; undefined if it does not. */
  let json: string | undefined;
  let isStarted = false;
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
    let text = bytes ? utf8.decode(bytes, { stream: true }) : `${utf8.decode()}\n\n`;
    if (!isStarted && text.trim() !== '') {
      isStarted = true;
      if (/^\s*[{[]/.test(text)) json = '';
    }
    if (json !== undefined) {
      json += text;
      if (json.length > maxBytes) return [{}];
      const tail = text.slice(-100).trimEnd();
      const isEnd = !bytes || tail.endsWith('[DONE]');
      if (!isEnd && !tail.endsWith('}')) return [];
      const data = withoutDone(json);
      const value = parseJson(data);
      if (isDocument(value, data)) {
        const isWhole = isComplete(value, isEnd);
        if (isWhole || isEnd) {
          onDocument(data);
          return isWhole ? [{ data }, { data: '[DONE]' }] : [{ data }];
        }
      }
      if (bytes) return [];
      text = json;
      json = undefined;
    }
    pendingLength += text.length;
    parser.feed(text);
    if (pendingLength > maxBytes) events.push({});
    return events;
  };
}

/** Whether nothing can follow a document. Before the end of its body, it may be the first line of several. */
function isComplete({ choices }: Record<string, unknown>, isEnd: boolean): boolean {
  return (
    !Array.isArray(choices) ||
    choices.every(
      (choice) =>
        isRecord(choice) &&
        (choice.message ?? choice.text) != null &&
        (isEnd || isFinished(choice.finish_reason)),
    )
  );
}

/** Whether the JSON of a body is all that the service has to say. */
function isDocument(value: unknown, data: string): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  return (
    (Array.isArray(value.choices) && value.choices.length > 0) ||
    hasError(value) ||
    isFailure(value, data)
  );
}

/** Whether a text begins like an event stream. */
export function isEventText(text: string): boolean {
  return /^\s*(data|event|id|retry)?:/.test(text);
}

/** The JSON of a body to which a service has appended `data: [DONE]`. */
export function withoutDone(text: string): string {
  const json = text.trim();
  const done = '[DONE]';
  if (!json.endsWith(done)) return json;
  const rest = json.slice(0, -done.length).trimEnd();
  return rest.endsWith('data:') ? rest.slice(0, -'data:'.length) : rest;
}

import { isRecord } from '../../../wire/types/type-guards.ts';
import { parseExactJson } from './json.ts';
import type { Redactor } from './redactor.ts';
import { restoreGateway } from './redactor.ts';

/** Splits the text of an event stream. `ends` are in bytes, and `rest` is what follows the last complete event. */
export function splitEvents(text: string): { events: string[]; ends: number[]; rest: string } {
  const events: string[] = [];
  const ends: number[] = [];
  let start = 0;
  for (const { 0: blank, index } of text.matchAll(/\r\n\r\n|\n\n|\r\r/g)) {
    events.push(text.slice(start, index));
    const next = index + blank.length;
    ends.push((ends.at(-1) ?? 0) + Buffer.byteLength(text.slice(start, next)));
    start = next;
  }
  return { events, ends, rest: text.slice(start) };
}

/** What most events begin with. Those that contain nothing else but JSON are stored as JSON. */
const usualStart = 'data: ';

/** The text of an event as {@link redactEvents} returned it. */
export function formatEvent(event: unknown): string {
  return `${typeof event === 'string' ? event : usualStart + JSON.stringify(event)}\n\n`;
}

/** Redacts the events of a stream, including secrets that extend over several events. */
export function redactEvents(
  events: readonly string[],
  redactor: Redactor,
  gateway: string | undefined,
): unknown[] {
  const parsed = events.map(parseEvent);
  const json = parsed.map((event) => event?.json);
  const safe = json.map((each) => redactor.response(each, gateway));
  const safeTexts = textsByPath(safe);
  for (const [path, original] of textsByPath(json)) {
    const redacted = safeTexts.get(path) ?? [];
    const whole = redactor.text(original.map(({ value }) => value).join(''));
    if (whole === redacted.map(({ value }) => value).join('')) continue;
    for (const [index, text] of redacted.entries()) text.set(index === 0 ? whole : '');
  }
  return parsed.map((event, index) => {
    if (!event) return redactor.responseText(events[index] ?? '', gateway);
    if (event.start === usualStart) return safe[index];
    return redactor.responseText(event.start, gateway) + JSON.stringify(safe[index]);
  });
}

/** An event that ends with JSON: what is before it, such as the name of the event, and its value. */
function parseEvent(text: string): { start: string; json: object } | undefined {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const data = line.replace(/^data: ?(?=\{)/, '');
  if (data === line || !data.endsWith('}')) return undefined;
  const json = parseExactJson(data);
  return isRecord(json) ? { start: text.slice(0, -data.length), json } : undefined;
}

/** A text in an event. */
interface TextPart {
  readonly value: string;
  set(value: string): void;
}

/** The texts of all events, by the path of their field, such as `choices.0.delta.content`. */
function textsByPath(events: readonly unknown[]): Map<string, TextPart[]> {
  const texts = new Map<string, TextPart[]>();
  const visit = (container: unknown, path: string): void => {
    if (typeof container !== 'object' || container === null) return;
    for (const [name, value] of Object.entries(container)) {
      // Events of several choices alternate, and each is the first of its list.
      const index = isRecord(value) && typeof value.index === 'number' ? value.index : name;
      const field = `${path}.${index}`;
      if (typeof value !== 'string') visit(value, field);
      else {
        const parts = texts.get(field) ?? [];
        texts.set(field, parts);
        parts.push({ value, set: (changed) => Object.assign(container, { [name]: changed }) });
      }
    }
  };
  for (const event of events) visit(event, '');
  return texts;
}

/**
 * Headers that the client reads, whatever their vendor prefix. Dates, request ids and remaining slots change each time.
 */
const kept =
  /^(content-type|content-range|etag|last-modified|accept-ranges|location|retry-after)$|-(charge-usd|wallet|balance-(usd|cny)|task-id|idempotent-replay|concurrency-(limit|source)|readiness-(score|status))$/;

const charge = /-charge-usd$/;

/** The headers of a response that a tape keeps. The length of a text may change when it is redacted. */
export function keptHeaders(
  headers: Headers,
  isFile: boolean,
  redact: (value: string) => string,
): Record<string, string> {
  const isSized = isFile && !headers.has('content-encoding');
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => kept.test(name) || (isSized && name === 'content-length'))
      .map(([name, value]) => [name, redact(value)]),
  );
}

/** The headers of a replayed response. */
export function replayedHeaders(
  recorded: Readonly<Record<string, string>>,
  {
    method,
    status,
    charges,
    timing,
    origin,
  }: { method: string; status: number; charges: boolean; timing: boolean; origin: string },
): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(recorded)) {
    if (charges || !charge.test(name)) headers.set(name, restoreGateway(value, origin));
  }
  const isJson = /json/.test(recorded['content-type'] ?? '');
  // The next poll is due immediately.
  const isPoll = method === 'GET' && headers.has('retry-after');
  if (!timing && (isPoll || (status < 400 && isJson))) headers.set('retry-after', '0');
  return headers;
}

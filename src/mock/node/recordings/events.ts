import { parseExactJson } from './json.ts';
import type { Redactor } from './redactor.ts';

/** Splits the text of an event stream. `rest` is what follows the last complete event. */
export function splitEvents(text: string): { events: unknown[]; ends: number[]; rest: string } {
  const events: unknown[] = [];
  const ends: number[] = [];
  let start = 0;
  for (const { 0: blank, index } of text.matchAll(/\r\n\r\n|\n\n|\r\r/g)) {
    events.push(parseEvent(text.slice(start, index)));
    start = index + blank.length;
    ends.push(start);
  }
  return { events, ends, rest: text.slice(start) };
}

/** The data of an event that is nothing but JSON; otherwise its text. */
function parseEvent(text: string): unknown {
  const [, data] = /^data: (\{.*\})$/.exec(text) ?? [];
  return (data === undefined ? undefined : parseExactJson(data)) ?? text;
}

/** The text of an event as {@link splitEvents} returned it. */
export function formatEvent(event: unknown): string {
  return `${typeof event === 'string' ? event : `data: ${JSON.stringify(event)}`}\n\n`;
}

/** Redacts the events of a stream, including secrets that extend over several events. */
export function redactEvents(
  events: readonly unknown[],
  redactor: Redactor,
  gateway: string | undefined,
): unknown[] {
  const safe = events.map((event) =>
    typeof event === 'string' ? redactor.text(event) : redactor.response(event, gateway),
  );
  for (const [original, redacted] of zip(textsByPath(events), textsByPath(safe))) {
    const whole = redactor.text(original.map(({ value }) => value).join(''));
    if (whole === redacted.map(({ value }) => value).join('')) continue;
    for (const [index, text] of redacted.entries()) text.set(index === 0 ? whole : '');
  }
  return safe;
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
      const field = `${path}.${name}`;
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

function zip(
  originals: ReadonlyMap<string, TextPart[]>,
  copies: ReadonlyMap<string, TextPart[]>,
): [TextPart[], TextPart[]][] {
  return [...originals].map(([path, parts]) => [parts, copies.get(path) ?? []]);
}

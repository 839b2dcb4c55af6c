import { expect, test } from 'vitest';

import { ChatStream, PolygateError } from '../../src/index.ts';

/** A small generator of numbers, so that a seed tells a case. */
function generator(seed: number) {
  let state = seed;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  return { below, pick };
}

const chunk = (text: string) => `{"choices":[{"index":0,"delta":{"content":"${text}"}}]}`;

const ends = ['\n', '\n', '\n', '\r\n', '\r'] as const;
const colons = ['data:', 'data: ', 'data: ', 'data:  '] as const;
const whole = [
  chunk('a'),
  chunk('é漢😀'),
  chunk('\\n\u2028'),
  '{"choices":[]}',
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  '{"choices":[],"error":null}',
] as const;
const rare = [
  '[DONE]',
  '[DONE]',
  '{"error":{"message":"no"}}',
  '{"choi',
  '7',
  '[DONE]x',
  '',
] as const;
const others = [
  ': hello',
  ':',
  'event: message',
  'id: 7',
  'retry: 10',
  'data',
  'Data: x',
  ' data: x',
  'foo: bar',
  'x'.repeat(40),
  '\uFEFFdata: x',
  'event: error',
] as const;

/** The text of a stream, mostly a good one. */
function write({ below, pick }: ReturnType<typeof generator>): string {
  let text = below(20) === 0 ? '\uFEFF' : '';
  for (let left = 1 + below(6); left > 0; left -= 1) {
    const end = pick(ends);
    while (below(4) === 0) text += pick(others) + pick(ends);
    const data = below(6) === 0 ? pick(rare) : pick(whole);
    const lines = data.startsWith('{"') && below(8) === 0 ? data.split(/(?<=[,:])/) : [data];
    for (const line of lines) text += pick(colons) + line + end;
    text += below(30) === 0 ? '' : end;
  }
  if (below(3) > 0) text += `data: [DONE]${'\n'.repeat(below(3))}`;
  return below(6) === 0 ? text.slice(0, below(text.length + 1)) : text;
}

/** What a stream says, as a second parser reads it that has all of it at once and no care for speed. */
function naive(text: string): string {
  const said: string[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  let data: string[] = [];
  let type = '';
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    if (name === 'event') type = value;
    if (line !== '' && !isLast) continue;
    const event = data.join('\n');
    const isError = type === 'error';
    data = [];
    type = '';
    if (event === '') continue;
    if (event === '[DONE]') return said.length > 0 ? said.join('|') : ' StreamError';
    let record: any;
    try {
      record = JSON.parse(event);
    } catch {
      return `${said.join('|')} ${isLast ? 'StreamTruncatedError' : 'StreamError'}`;
    }
    if (isError || record?.error || !Array.isArray(record?.choices))
      return `${said.join('|')} StreamError`;
    said.push(record.choices[0]?.delta.content ?? '');
  }
  return `${said.join('|')} StreamTruncatedError`;
}

async function ours(pieces: readonly Uint8Array[]): Promise<string> {
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const said: string[] = [];
  try {
    for await (const { choices } of ChatStream.fromReadableStream(readable)) {
      said.push(choices[0]?.delta.content ?? '');
    }
  } catch (error) {
    if (!(error instanceof PolygateError)) throw error;
    return `${said.join('|')} ${error.name}`;
  }
  return said.join('|');
}

const encoder = new TextEncoder();

/** The bytes of a text, cut at up to five places. */
function cut(text: string, { below }: ReturnType<typeof generator>): Uint8Array[] {
  const bytes = encoder.encode(text);
  const places = Array.from({ length: below(6) }, () => below(bytes.length + 1)).toSorted(
    (a, b) => a - b,
  );
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end));
}

// Half of the cases end with an error, and nobody reads where it was made.
Error.stackTraceLimit = 0;

const rounds = 10;
const casesEach = 100_000;

test.each(Array.from({ length: rounds }, (_, round) => round))(
  'a stream is read as a naive parser reads it, however it is cut: hundred thousand cases, part %i',
  async (round) => {
    const endings = new Map<string, number>();
    for (let at = 0; at < casesEach; at += 1) {
      // What is collected is cleared away between turns of the event loop only.
      if (at % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      const seed = round * casesEach + at;
      const random = generator(seed);
      const text = write(random);
      const expected = naive(text);
      const read = await ours(cut(text, random));
      if (read !== expected) expect({ seed, text, read }).toEqual({ seed, text, read: expected });
      const ending = / ?(Stream\w+)$/.exec(expected)?.[1] ?? 'whole';
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
    }
    // The cases are worth something only when every kind of end is among them.
    expect([...endings.keys()].toSorted()).toEqual([
      'StreamError',
      'StreamTruncatedError',
      'whole',
    ]);
    expect(Math.min(...endings.values())).toBeGreaterThan(casesEach / 20);
  },
);

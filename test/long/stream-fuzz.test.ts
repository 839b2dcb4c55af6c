import { expect, test } from 'vitest';

import { ChatStream, PolygateError } from '../../src/index.ts';

/** A deterministic random number generator, so that a seed identifies a case. */
function randomGenerator(seed: number) {
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

const lineEndings = ['\n', '\n', '\n', '\r\n', '\r'] as const;
const colons = ['data:', 'data: ', 'data: ', 'data:  '] as const;
const ordinaryData = [
  chunk('a'),
  chunk('é漢😀'),
  chunk('\\n\u2028'),
  '{"choices":[]}',
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  '{"choices":[],"error":null}',
] as const;
const rareData = [
  '[DONE]',
  '[DONE]',
  '{"error":{"message":"no"}}',
  '{"choi',
  '7',
  '[DONE]x',
  '',
] as const;
const otherLines = [
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

/** Generates the text of a stream, which is valid in most cases. */
function generateStream({ below, pick }: ReturnType<typeof randomGenerator>): string {
  let text = below(20) === 0 ? '\uFEFF' : '';
  for (let remaining = 1 + below(6); remaining > 0; remaining -= 1) {
    const end = pick(lineEndings);
    while (below(4) === 0) text += pick(otherLines) + pick(lineEndings);
    const data = below(6) === 0 ? pick(rareData) : pick(ordinaryData);
    const lines = data.startsWith('{"') && below(8) === 0 ? data.split(/(?<=[,:])/) : [data];
    for (const line of lines) text += pick(colons) + line + end;
    text += below(30) === 0 ? '' : end;
  }
  if (below(3) > 0) text += `data: [DONE]${'\n'.repeat(below(3))}`;
  return below(6) === 0 ? text.slice(0, below(text.length + 1)) : text;
}

/** Reads a complete stream with a simple, slow parser. Returns its contents and the name of its error. */
function readNaively(text: string): string {
  const texts: string[] = [];
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
    if (event.trim() === '[DONE]') return texts.length > 0 ? texts.join('|') : ' StreamError';
    let record: any;
    try {
      record = JSON.parse(event);
    } catch {
      return `${texts.join('|')} ${isLast ? 'StreamTruncatedError' : 'StreamError'}`;
    }
    if (isError || record?.error || !Array.isArray(record?.choices))
      return `${texts.join('|')} StreamError`;
    texts.push(record.choices[0]?.delta.content ?? '');
  }
  return `${texts.join('|')} StreamTruncatedError`;
}

/** Reads a stream with the client, in the same format as {@link readNaively}. */
async function readWithClient(pieces: readonly Uint8Array[]): Promise<string> {
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const texts: string[] = [];
  try {
    for await (const { choices } of ChatStream.fromReadableStream(readable)) {
      texts.push(choices[0]?.delta.content ?? '');
    }
  } catch (error) {
    if (!(error instanceof PolygateError)) throw error;
    return `${texts.join('|')} ${error.name}`;
  }
  return texts.join('|');
}

const encoder = new TextEncoder();

/** The bytes of a text, split at up to five positions. */
function split(text: string, { below }: ReturnType<typeof randomGenerator>): Uint8Array[] {
  const bytes = encoder.encode(text);
  const positions = Array.from({ length: below(6) }, () => below(bytes.length + 1)).toSorted(
    (a, b) => a - b,
  );
  return [...positions, bytes.length].map((end, index) =>
    bytes.subarray(positions[index - 1] ?? 0, end),
  );
}

// Half of the cases end with an error, and their stack traces are never read.
Error.stackTraceLimit = 0;

const rounds = 10;
const casesEach = 100_000;

test.each(Array.from({ length: rounds }, (_, round) => round))(
  'a stream is read the same as by a simple reference parser, no matter how it is split: 100,000 cases, part %i',
  async (round) => {
    const endings = new Map<string, number>();
    for (let at = 0; at < casesEach; at += 1) {
      // Collected objects are finalized only between turns of the event loop.
      if (at % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      const seed = round * casesEach + at;
      const random = randomGenerator(seed);
      const text = generateStream(random);
      const expected = readNaively(text);
      const read = await readWithClient(split(text, random));
      if (read !== expected) expect({ seed, text, read }).toEqual({ seed, text, read: expected });
      const ending = / ?(Stream\w+)$/.exec(expected)?.[1] ?? 'complete';
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
    }
    // The cases are useful only if every kind of ending is among them.
    expect([...endings.keys()].toSorted()).toEqual([
      'StreamError',
      'StreamTruncatedError',
      'complete',
    ]);
    expect(Math.min(...endings.values())).toBeGreaterThan(casesEach / 20);
  },
);

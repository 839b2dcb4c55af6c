import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { StreamError, StreamTruncatedError } from '../../../src/index.ts';
import {
  streamingFetch,
  body,
  bytes,
  clientOf,
  contents,
  doneEvent,
  event,
  params,
  textEvent,
  finishEvent,
  streamHeaders,
  streamOf,
} from '../../support/event-stream.ts';
import { collect } from '../../support/rejection.ts';

/** A chunk that is as short as possible, so that trying every split point is fast. */
const shortChunk = (content: string) =>
  `{"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}`;
const a = shortChunk('a');
const b = shortChunk('b');
const end = 'data: [DONE]\n\n';

const cases: Record<string, { bytes: string | Uint8Array<ArrayBuffer>; texts: string[] }> = {
  'events that end with LF': { bytes: `data: ${a}\n\ndata: ${b}\n\n${end}`, texts: ['a', 'b'] },
  'events that end with CR': {
    bytes: `data: ${a}\r\rdata: ${b}\r\rdata: [DONE]\r\r`,
    texts: ['a', 'b'],
  },
  'events that end with CRLF': {
    bytes: `data: ${a}\r\n\r\ndata: ${b}\r\n\r\ndata: [DONE]\r\n\r\n`,
    texts: ['a', 'b'],
  },
  'mixed line endings': {
    bytes: `data: ${a}\r\n\ndata: ${b}\n\r\n\r\r\n: c\rdata: ${a}\r\r\n${end}`,
    texts: ['a', 'b', 'a'],
  },
  'one leading BOM': { bytes: `\uFEFFdata: ${a}\n\n${end}`, texts: ['a'] },
  'a second BOM, which is part of the field name': {
    bytes: `\uFEFF\uFEFFdata: ${a}\n\ndata: ${b}\n\n${end}`,
    texts: ['b'],
  },
  'a BOM in the middle, which is part of the field name or of the text': {
    bytes: `data: ${a}\n\n\uFEFFdata: ${b}\n\ndata: ${shortChunk('\uFEFFc')}\n\n${end}`,
    texts: ['a', '\uFEFFc'],
  },
  'comments between fields and events': {
    bytes: `: hi\n:\n:data: ${b}\n\ndata: ${a}\n: data: ${b}\n\n:\n\n${end}`,
    texts: ['a'],
  },
  'data on several lines': {
    bytes: `data: {"choices":[{"index":0,\ndata:"delta":\ndata: {"content":"a"}}\ndata: ]}\n\n${end}`,
    texts: ['a'],
  },
  'no space after the colon, and more than one': {
    bytes: `data:${a}\n\ndata:   ${b}\n\ndata:[DONE]\n\n`,
    texts: ['a', 'b'],
  },
  'characters of two, three and four bytes': {
    bytes: `data: ${shortChunk('é漢😀')}\n\ndata: ${shortChunk('\u2028\u0085')}\n\n${end}`,
    texts: ['é漢😀', '\u2028\u0085'],
  },
  'field names in the wrong case': {
    bytes: `Data: ${a}\nDATA: x\n\ndata: ${b}\ndAta: x\n\n${end}`,
    texts: ['b'],
  },
  'field names with spaces': {
    bytes: ` data: ${a}\n\ndata : ${a}\n\ndata: ${b}\n data: x\n\n${end}`,
    texts: ['b'],
  },
  'id, retry, event and unknown fields': {
    bytes: `id: 1\nretry: 5\nretry: x\nid\nevent: message\nfoo: bar\nbaz\ndata: ${a}\n\n${end}`,
    texts: ['a'],
  },
  'NUL in an id, a comment and an unknown field': {
    bytes: `id: a\0b\n:\0\nf\0o: x\ndata: ${a}\n\n${end}`,
    texts: ['a'],
  },
  'empty data events, which are skipped': {
    bytes: `data\n\ndata:\n\ndata: \n\nevent: ping\ndata:\n\ndata: ${a}\n\nevent: ping\n\n${end}`,
    texts: ['a'],
  },
  'blank lines between and before events': {
    bytes: `\n\r\n\r\n\ndata: ${a}\n\n\n\n\n\ndata: ${b}\n\n${end}`,
    texts: ['a', 'b'],
  },
  'an unterminated last event that is [DONE]': {
    bytes: `data: ${a}\n\ndata: [DONE]`,
    texts: ['a'],
  },
  'an unterminated last event with one line ending': {
    bytes: `data: ${a}\n\ndata: [DONE]\r`,
    texts: ['a'],
  },
};

/** Every way to split the bytes in two, and a split into single bytes. */
function* splits(all: Uint8Array<ArrayBuffer>) {
  for (let at = 0; at <= all.length; at += 1) yield [all.slice(0, at), all.slice(at)];
  yield Array.from(all, (byte) => Uint8Array.of(byte));
}

/** The contents of a stream and, if it fails, the name of its error. */
async function outcome(pieces: Uint8Array<ArrayBuffer>[]) {
  const texts: string[] = [];
  try {
    for await (const { choices } of streamOf(pieces)) texts.push(choices[0]?.delta.content ?? '');
  } catch (error) {
    return { texts, error: error instanceof Error ? error.name : 'no error' };
  }
  return { texts };
}

describe('split at any byte, a stream is read the same', () => {
  test.each(Object.entries(cases))('with %s', async (_, { bytes: input, texts }) => {
    const all = typeof input === 'string' ? bytes(input) : input;
    for (const pieces of splits(all)) {
      const sizes = pieces.map(({ length }) => length).join(' + ');
      expect({ sizes, ...(await outcome(pieces)) }).toEqual({ sizes, texts });
    }
  });

  test('if its last event is complete JSON without a line ending', async () => {
    const last = '{"choices":[{"index":0,"delta":{"content":"z"},"finish_reason":"stop"}]}';
    for (const pieces of splits(bytes(`data: ${a}\n\ndata: ${last}`))) {
      expect(await outcome(pieces)).toEqual({ texts: ['a', 'z'] });
    }
  });

  test('if its last event is incomplete JSON, which is truncation', async () => {
    for (const pieces of splits(bytes(`data: ${a}\n\ndata: {"choices":[{"ind`))) {
      expect(await outcome(pieces)).toEqual({ texts: ['a'], error: 'StreamTruncatedError' });
    }
  });

  test('as by a simple reference parser, for random lines', async () => {
    const line = fc.constantFrom(
      `data: ${a}`,
      `data:${b}`,
      '',
      '',
      '',
      'data',
      'data:',
      ': c',
      'x',
    );
    const lineEnding = fc.constantFrom('\n', '\r', '\r\n');
    const lines = fc.array(fc.tuple(line, lineEnding), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.array(fc.nat(), { maxLength: 4 }),
        async (generated, positions) => {
          const text = `data: ${a}\n\n${generated.flat().join('')}\n\n${end}`;
          expect(await outcome(splitAt(bytes(text), positions))).toEqual(naive(text));
        },
      ),
      { numRuns: 300 },
    );
  });
});

function splitAt(all: Uint8Array<ArrayBuffer>, positions: number[]): Uint8Array<ArrayBuffer>[] {
  const at = [0, ...positions.map((position) => position % all.length), all.length].toSorted(
    (x, y) => x - y,
  );
  return at.slice(1).map((to, index) => all.slice(at[index], to));
}

/** A straightforward implementation of the standard for a complete text. */
function naive(text: string): { texts: string[]; error?: string } {
  const texts: string[] = [];
  let data: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === 'data' || line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    if (line !== '') continue;
    const eventData = data.join('\n');
    data = [];
    if (eventData === '[DONE]') return { texts };
    if (eventData === '') continue;
    const known = [a, b].find((chunk) => chunk === eventData.trim());
    if (known === undefined) return { texts, error: 'StreamError' };
    texts.push(known === a ? 'a' : 'b');
  }
  return { texts };
}

describe('the end of a stream', () => {
  test.each(['\n', '\r\n', '\r'])(
    'an event is delivered as soon as its blank line arrives: %j',
    async (eol) => {
      const chunks = streamOf([`data: ${a}${eol}${eol}`], 'stall')[Symbol.asyncIterator]();
      const { value } = await chunks.next();
      expect(value?.choices[0]?.delta.content).toBe('a');
    },
  );

  test.each(['\n', '\r\n', '\r'])(
    '[DONE] ends a stream without waiting for the socket to close: %j',
    async (eol) => {
      const stream = streamOf([textEvent('a'), `data: [DONE]${eol}${eol}`], 'stall');
      await expect(contents(stream)).resolves.toEqual(['a']);
    },
  );

  test.each([
    [
      'in the same network chunk',
      [`${textEvent('a')}${doneEvent}${textEvent('b')}data: {broken\n\n`],
    ],
    [
      'in later network chunks',
      [textEvent('a'), doneEvent, 'data: {"error":{"message":"late"}}\n\n', 'junk'],
    ],
  ])('anything after [DONE] is ignored, %s', async (_, pieces) => {
    await expect(contents(streamOf(pieces))).resolves.toEqual(['a']);
    await expect(contents(streamOf(pieces, 'reset'))).resolves.toEqual(['a']);
  });

  test.each(['[DONE]x', 'x[DONE]', '[done]', '[DONE] x', '"[DONE]"', '[DONE]\ndata: [DONE]'])(
    '%j does not count as [DONE]',
    async (data) => {
      const stream = streamOf([textEvent('a'), `data: ${data}\n\n`, textEvent('b'), doneEvent]);
      await expect(contents(stream)).rejects.toBeInstanceOf(StreamError);
    },
  );

  test('a stream with neither [DONE] nor a finish reason is truncated', async () => {
    const reading = contents(streamOf([textEvent('a')]));
    await expect(reading).rejects.toBeInstanceOf(StreamTruncatedError);
  });
});

describe('chunks', () => {
  test('may have error: null', async () => {
    const record = { choices: [{ index: 0, delta: { content: 'a' } }], error: null };
    await expect(contents(streamOf([event(record), doneEvent]))).resolves.toEqual(['a']);
  });

  test('may omit choices and deltas or set them to null', async () => {
    const stream = streamOf([
      event({ id: 'c-1', usage: { total_tokens: 3 } }),
      event({ choices: null }),
      event({ choices: [{ index: 0, finish_reason: null }] }),
      event({ choices: [{ index: 0, delta: null }] }),
      textEvent('a'),
      finishEvent(),
      doneEvent,
    ]);
    const chunks = await collect(stream);
    expect(chunks).toHaveLength(6);
    expect(chunks[0]).toMatchObject({ id: 'c-1', choices: [], usage: { total_tokens: 3 } });
    expect((await stream.final()).choices[0]?.message.content).toBe('a');
  });

  test('are read as UTF-8 regardless of the charset, and the content type is case-insensitive', async () => {
    for (const type of [
      'text/event-stream; charset=iso-8859-1',
      'Text/Event-Stream;charset=utf-8',
    ]) {
      const fetch = streamingFetch([textEvent('é'), doneEvent], 'close', {
        ...streamHeaders,
        'content-type': type,
      });
      await expect(contents(clientOf(fetch).chat.completions.stream(params))).resolves.toEqual([
        'é',
      ]);
    }
  });

  test('have replacement characters in place of invalid UTF-8', async () => {
    const invalid = [
      bytes('data: {"choices":[{"index":0,"delta":{"content":"'),
      Uint8Array.of(0xff),
    ];
    const stream = new Response(body([...invalid, bytes('"}}]}\n\n'), bytes(doneEvent)]), {
      headers: streamHeaders,
    });
    const gateway = clientOf(async () => stream);
    await expect(contents(gateway.chat.completions.stream(params))).resolves.toEqual(['\uFFFD']);
  });
});

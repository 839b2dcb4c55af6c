import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { StreamError, StreamTruncatedError } from '../../../src/index.ts';
import {
  answering,
  body,
  bytes,
  clientOf,
  contents,
  done,
  event,
  params,
  says,
  stops,
  streamHeaders,
  streamOf,
} from '../../support/event-stream.ts';
import { collect } from '../../support/rejection.ts';

/** A chunk as short as can be, so that all its split points are soon tried. */
const says1 = (content: string) =>
  `{"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}`;
const a = says1('a');
const b = says1('b');
const end = 'data: [DONE]\n\n';

const cases: Record<string, { bytes: string | Uint8Array<ArrayBuffer>; said: string[] }> = {
  'events that end with LF': { bytes: `data: ${a}\n\ndata: ${b}\n\n${end}`, said: ['a', 'b'] },
  'events that end with CR': {
    bytes: `data: ${a}\r\rdata: ${b}\r\rdata: [DONE]\r\r`,
    said: ['a', 'b'],
  },
  'events that end with CRLF': {
    bytes: `data: ${a}\r\n\r\ndata: ${b}\r\n\r\ndata: [DONE]\r\n\r\n`,
    said: ['a', 'b'],
  },
  'a mix of line ends': {
    bytes: `data: ${a}\r\n\ndata: ${b}\n\r\n\r\r\n: c\rdata: ${a}\r\r\n${end}`,
    said: ['a', 'b', 'a'],
  },
  'one leading BOM': { bytes: `\uFEFFdata: ${a}\n\n${end}`, said: ['a'] },
  'a second BOM, which is part of the field name': {
    bytes: `\uFEFF\uFEFFdata: ${a}\n\ndata: ${b}\n\n${end}`,
    said: ['b'],
  },
  'a BOM in the middle, which is part of the field name or of the words': {
    bytes: `data: ${a}\n\n\uFEFFdata: ${b}\n\ndata: ${says1('\uFEFFc')}\n\n${end}`,
    said: ['a', '\uFEFFc'],
  },
  'comments everywhere': {
    bytes: `: hi\n:\n:data: ${b}\n\ndata: ${a}\n: data: ${b}\n\n:\n\n${end}`,
    said: ['a'],
  },
  'data on many lines': {
    bytes: `data: {"choices":[{"index":0,\ndata:"delta":\ndata: {"content":"a"}}\ndata: ]}\n\n${end}`,
    said: ['a'],
  },
  'no space after the colon, and more than one': {
    bytes: `data:${a}\n\ndata:   ${b}\n\ndata:[DONE]\n\n`,
    said: ['a', 'b'],
  },
  'characters of two, three and four bytes': {
    bytes: `data: ${says1('é漢😀')}\n\ndata: ${says1('\u2028\u0085')}\n\n${end}`,
    said: ['é漢😀', '\u2028\u0085'],
  },
  'field names in the wrong case': {
    bytes: `Data: ${a}\nDATA: x\n\ndata: ${b}\ndAta: x\n\n${end}`,
    said: ['b'],
  },
  'field names with spaces': {
    bytes: ` data: ${a}\n\ndata : ${a}\n\ndata: ${b}\n data: x\n\n${end}`,
    said: ['b'],
  },
  'id, retry, event and unknown fields': {
    bytes: `id: 1\nretry: 5\nretry: x\nid\nevent: message\nfoo: bar\nbaz\ndata: ${a}\n\n${end}`,
    said: ['a'],
  },
  'NUL in an id, a comment and an unknown field': {
    bytes: `id: a\0b\n:\0\nf\0o: x\ndata: ${a}\n\n${end}`,
    said: ['a'],
  },
  'empty data events, which are skipped': {
    bytes: `data\n\ndata:\n\ndata: \n\nevent: ping\ndata:\n\ndata: ${a}\n\nevent: ping\n\n${end}`,
    said: ['a'],
  },
  'blank lines between and before events': {
    bytes: `\n\r\n\r\n\ndata: ${a}\n\n\n\n\n\ndata: ${b}\n\n${end}`,
    said: ['a', 'b'],
  },
  'an unterminated last event that is [DONE]': { bytes: `data: ${a}\n\ndata: [DONE]`, said: ['a'] },
  'an unterminated last event with one line end': {
    bytes: `data: ${a}\n\ndata: [DONE]\r`,
    said: ['a'],
  },
};

/** Every way to cut the bytes in two, and into single bytes. */
function* splits(whole: Uint8Array<ArrayBuffer>) {
  for (let at = 0; at <= whole.length; at += 1) yield [whole.slice(0, at), whole.slice(at)];
  yield Array.from(whole, (byte) => Uint8Array.of(byte));
}

/** What a stream says, and the name of the error it ends with. */
async function outcome(pieces: Uint8Array<ArrayBuffer>[]) {
  const said: string[] = [];
  try {
    for await (const { choices } of streamOf(pieces)) said.push(choices[0]?.delta.content ?? '');
  } catch (error) {
    return { said, error: error instanceof Error ? error.name : 'no error' };
  }
  return { said };
}

describe('at every split point of its bytes, a stream is read the same', () => {
  test.each(Object.entries(cases))('with %s', async (_, { bytes: given, said }) => {
    const whole = typeof given === 'string' ? bytes(given) : given;
    for (const pieces of splits(whole)) {
      const cut = pieces.map(({ length }) => length).join(' + ');
      expect({ cut, ...(await outcome(pieces)) }).toEqual({ cut, said });
    }
  });

  test('when its last event is complete JSON without a line end', async () => {
    const last = '{"choices":[{"index":0,"delta":{"content":"z"},"finish_reason":"stop"}]}';
    for (const pieces of splits(bytes(`data: ${a}\n\ndata: ${last}`))) {
      expect(await outcome(pieces)).toEqual({ said: ['a', 'z'] });
    }
  });

  test('when its last event is half a document, which is truncation', async () => {
    for (const pieces of splits(bytes(`data: ${a}\n\ndata: {"choices":[{"ind`))) {
      expect(await outcome(pieces)).toEqual({ said: ['a'], error: 'StreamTruncatedError' });
    }
  });

  test('as a naive parser reads it, whatever the lines', async () => {
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
    const stop = fc.constantFrom('\n', '\r', '\r\n');
    const lines = fc.array(fc.tuple(line, stop), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lines, fc.array(fc.nat(), { maxLength: 4 }), async (drawn, cuts) => {
        const text = `data: ${a}\n\n${drawn.flat().join('')}\n\n${end}`;
        expect(await outcome(cutAt(bytes(text), cuts))).toEqual(naive(text));
      }),
      { numRuns: 300 },
    );
  });
});

function cutAt(whole: Uint8Array<ArrayBuffer>, cuts: number[]): Uint8Array<ArrayBuffer>[] {
  const at = [0, ...cuts.map((cut) => cut % whole.length), whole.length].toSorted((x, y) => x - y);
  return at.slice(1).map((to, index) => whole.slice(at[index], to));
}

/** The rules of the standard, said as plainly as can be. */
function naive(text: string): { said: string[]; error?: string } {
  const said: string[] = [];
  let data: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === 'data' || line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    if (line !== '') continue;
    const whole = data.join('\n');
    data = [];
    if (whole === '[DONE]') return { said };
    if (whole === '') continue;
    const word = [a, b].find((known) => known === whole.trim());
    if (word === undefined) return { said, error: 'StreamError' };
    said.push(word === a ? 'a' : 'b');
  }
  return { said };
}

describe('the end of a stream', () => {
  test.each(['\n', '\r\n', '\r'])(
    'an event is delivered when its blank line is there: %j',
    async (eol) => {
      const chunks = streamOf([`data: ${a}${eol}${eol}`], 'stall')[Symbol.asyncIterator]();
      const { value } = await chunks.next();
      expect(value?.choices[0]?.delta.content).toBe('a');
    },
  );

  test.each(['\n', '\r\n', '\r'])(
    '[DONE] ends it without waiting for the socket: %j',
    async (eol) => {
      const stream = streamOf([says('a'), `data: [DONE]${eol}${eol}`], 'stall');
      await expect(contents(stream)).resolves.toEqual(['a']);
    },
  );

  test.each([
    ['in the same piece', [`${says('a')}${done}${says('b')}data: {broken\n\n`]],
    ['in later pieces', [says('a'), done, 'data: {"error":{"message":"late"}}\n\n', 'junk']],
  ])('what follows [DONE] is ignored, %s', async (_, pieces) => {
    await expect(contents(streamOf(pieces))).resolves.toEqual(['a']);
    await expect(contents(streamOf(pieces, 'reset'))).resolves.toEqual(['a']);
  });

  test.each(['[DONE]x', 'x[DONE]', '[done]', '[DONE] x', '"[DONE]"', '[DONE]\ndata: [DONE]'])(
    '%j is not [DONE]',
    async (data) => {
      const stream = streamOf([says('a'), `data: ${data}\n\n`, says('b'), done]);
      await expect(contents(stream)).rejects.toBeInstanceOf(StreamError);
    },
  );

  test('a stream without [DONE] in which no choice has finished is truncated', async () => {
    const words = contents(streamOf([says('a')]));
    await expect(words).rejects.toBeInstanceOf(StreamTruncatedError);
  });
});

describe('chunks', () => {
  test('error: null is ordinary', async () => {
    const record = { choices: [{ index: 0, delta: { content: 'a' } }], error: null };
    await expect(contents(streamOf([event(record), done]))).resolves.toEqual(['a']);
  });

  test('choices and deltas may be missing or null', async () => {
    const stream = streamOf([
      event({ id: 'c-1', usage: { total_tokens: 3 } }),
      event({ choices: null }),
      event({ choices: [{ index: 0, finish_reason: null }] }),
      event({ choices: [{ index: 0, delta: null }] }),
      says('a'),
      stops(),
      done,
    ]);
    const chunks = await collect(stream);
    expect(chunks).toHaveLength(6);
    expect(chunks[0]).toMatchObject({ id: 'c-1', choices: [], usage: { total_tokens: 3 } });
    expect((await stream.final()).choices[0]?.message.content).toBe('a');
  });

  test('the bytes are UTF-8 whatever the charset says, and the type is read in any case', async () => {
    for (const type of [
      'text/event-stream; charset=iso-8859-1',
      'Text/Event-Stream;charset=utf-8',
    ]) {
      const fetch = answering([says('é'), done], 'close', {
        ...streamHeaders,
        'content-type': type,
      });
      await expect(contents(clientOf(fetch).chat.completions.stream(params))).resolves.toEqual([
        'é',
      ]);
    }
  });

  test('bytes that are no UTF-8 become replacement characters', async () => {
    const broken = [
      bytes('data: {"choices":[{"index":0,"delta":{"content":"'),
      Uint8Array.of(0xff),
    ];
    const stream = new Response(body([...broken, bytes('"}}]}\n\n'), bytes(done)]), {
      headers: streamHeaders,
    });
    const gateway = clientOf(async () => stream);
    await expect(contents(gateway.chat.completions.stream(params))).resolves.toEqual(['\uFFFD']);
  });
});

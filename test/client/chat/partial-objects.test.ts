import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { StreamTruncatedError } from '../../../src/index.ts';
import { doneEvent, textEvent, finishEvent, streamOf } from '../../support/event-stream.ts';
import { collect } from '../../support/rejection.ts';

/** A stream whose content arrives in these pieces, one per chunk. */
const streamOfContent = (pieces: readonly string[]) =>
  streamOf([pieces.map((text) => textEvent(text)).join('') + finishEvent() + doneEvent]);

/** What partialObjects() yields after each piece, serialized immediately because the object grows in place. */
async function yieldedStates(pieces: readonly string[]): Promise<string[]> {
  const yielded: string[] = [];
  for await (const state of streamOfContent(pieces).partialObjects())
    yielded.push(JSON.stringify(state));
  return yielded;
}

/** Splits a text at these positions. */
function split(text: string, positions: readonly number[]): string[] {
  const ends = [...new Set([...positions.map((position) => position % text.length), text.length])];
  const sorted = ends.toSorted((a, b) => a - b);
  return sorted.map((end, index) => text.slice(sorted[index - 1] ?? 0, end)).filter(Boolean);
}

type Put = (value: unknown) => void;

/**
 * Serializes a document piece by piece. Before it yields a piece, it passes the value that a parser knows after that
 * piece to `put`. This makes it an independent model of the parser.
 */
function* serialize(value: unknown, put: Put, space: () => string): Generator<string> {
  if (typeof value === 'string') {
    let text = '';
    put(text);
    yield '"';
    for (const unit of value.split('')) {
      text += unit;
      put(text);
      yield escaped(unit, space() !== '');
    }
    yield '"';
  } else if (typeof value === 'object' && value !== null) {
    const isArray = Array.isArray(value);
    const copy: object = isArray ? [] : {};
    put(copy);
    yield isArray ? '[' : '{';
    for (const [index, [name, inner]] of Object.entries(value).entries()) {
      if (index > 0) {
        yield space();
        yield ',';
      }
      yield space();
      if (!isArray) yield `${JSON.stringify(name)}${space()}:`;
      const field = { writable: true, enumerable: true, configurable: true };
      const putInner: Put = (innerValue) =>
        Object.defineProperty(copy, name, { ...field, value: innerValue });
      yield* serialize(inner, putInner, space);
    }
    yield space();
    yield isArray ? ']' : '}';
  } else {
    yield JSON.stringify(value);
    // A number or keyword is complete only once another character follows.
    put(value);
  }
}

/** Serializes one UTF-16 code unit. Surrogates are not escaped unless `always` is set, so that pairs stay intact. */
function escaped(unit: string, always: boolean): string {
  if (always) return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return /[\uD800-\uDFFF]/.test(unit) ? unit : JSON.stringify(unit).slice(1, -1);
}

/** Serializes a document and records the state of the value after each prefix. */
function serializeWithStates(value: unknown, spaces: readonly boolean[]) {
  let root: unknown;
  let turn = 0;
  const space = () => (spaces[(turn += 1) % spaces.length] ? '\n' : '');
  let text = '';
  const states: { after: number; state: string }[] = [];
  const put: Put = (newRoot) => {
    root = newRoot;
  };
  for (const piece of serialize(value, put, space)) {
    if (piece === '') continue;
    text += piece;
    states.push({ after: text.length, state: JSON.stringify(root) });
  }
  const stateAfter = (length: number) =>
    states.findLast(({ after }) => after <= length)?.state ?? 'nothing';
  return { text, stateAfter };
}

const inner = fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' });
const root = fc.oneof(
  fc.array(inner, { maxLength: 4 }),
  fc.dictionary(
    fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('__proto__', 'constructor', '')),
    inner,
    { maxKeys: 4 },
  ),
);

describe('partialObjects()', () => {
  test.each(['```json\n', '```\n', ' \n```JSON \n', '\ufeff', '\ufeff```json\r\n'])(
    'reads JSON after %j, however it is split',
    async (start) => {
      const text = `${start}{"a":[1,"\`\`\`"]}\n\`\`\`\n`;
      for (const pieces of [[text], text.split(''), split(text, [1, 4, 12])]) {
        expect((await yieldedStates(pieces)).at(-1)).toBe('{"a":[1,"```"]}');
      }
    },
  );

  test('yields the value of every prefix of a document, and finally the document', async () => {
    const spaces = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });
    const positions = fc.array(fc.nat(), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(root, spaces, positions, fc.boolean(), async (value, gaps, at, each) => {
        const { text, stateAfter } = serializeWithStates(value, gaps);
        const pieces = each
          ? Array.from({ length: text.length }, (_, i) => text.charAt(i))
          : split(text, at);
        let length = 0;
        const expected = pieces.map((piece) => stateAfter((length += piece.length)));
        expect(await yieldedStates(pieces)).toEqual(expected);
        expect(expected.at(-1)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    [
      'numbers and keywords once they are complete',
      ['[1', '2', ',tr', 'ue', ',-1e', '3]'],
      ['[]', '[]', '[12]', '[12]', '[12,true]', '[12,true,-1000]'],
    ],
    ['incomplete strings', ['{"a":"x', 'y', '"}'], ['{"a":"x"}', '{"a":"xy"}', '{"a":"xy"}']],
    [
      'keys once their value begins',
      ['{"na', 'me"', ':', ' [', ']}'],
      ['{}', '{}', '{}', '{"name":[]}', '{"name":[]}'],
    ],
    [
      'escapes once they are complete',
      ['["\\', 'n\\u00', 'e9', '"]'],
      ['[""]', '["\\n"]', '["\\né"]', '["\\né"]'],
    ],
    [
      'the two halves of a surrogate pair separately',
      ['["\\ud83d', '\\ude00"]'],
      ['["\\ud83d"]', '["😀"]'],
    ],
    [
      'the last of two fields with the same key',
      ['{"a":1,', '"a":"', 'b"}'],
      ['{"a":1}', '{"a":""}', '{"a":"b"}'],
    ],
    ['a string that is the whole content', ['"a', 'b"'], ['"a"', '"ab"']],
    ['nothing before the value begins', [' \n', ' {', '}', '\n'], ['{}', '{}']],
  ])('yields %s', async (_, pieces, expected) => {
    expect(await yieldedStates(pieces)).toEqual(expected);
  });

  test.each([
    ['text before the JSON', ['Sure! {"a":1}']],
    ['a code fence without a line of its own', ['```json {"a":1}']],
    ['empty content', []],
  ])('yields nothing if the content is not JSON: %s', async (_, pieces) => {
    expect(await yieldedStates(pieces)).toEqual([]);
  });

  test.each([
    ['{"a":1]', '{"a":1}'],
    ['{"a":1}}', '{"a":1}'],
    ['[1}', '[1]'],
    ['{1}', '{}'],
    ['[01]', '[]'],
    ['["\\x"]', '[""]'],
    ['[nil]', '[]'],
    ['[;]', '[]'],
    ['{[]}', '{}'],
  ])('stops without throwing where the text %s is invalid', async (text, state) => {
    const all = await yieldedStates([...Array.from(text), ' 2', '3']);
    expect(all.at(-1)).toBe(state);
  });

  test('modifies no prototype', async () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const [value] = await collect(streamOfContent([text]).partialObjects());
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe(text);
  });

  test('yields the same growing object each time, and throws the errors of the stream', async () => {
    const yielded: unknown[] = [];
    const loop = async () => {
      for await (const state of streamOf([textEvent('{"a":'), textEvent('1,')]).partialObjects())
        yielded.push(state);
    };
    await expect(loop()).rejects.toBeInstanceOf(StreamTruncatedError);
    expect(yielded).toHaveLength(2);
    expect(yielded[0]).toBe(yielded[1]);
  });
});

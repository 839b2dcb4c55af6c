import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { StreamTruncatedError } from '../../../src/index.ts';
import { doneEvent, textEvent, finishEvent, streamOf } from '../../support/event-stream.ts';
import { collect } from '../../support/rejection.ts';

/** A stream whose answer comes in these pieces. */
const writing = (pieces: readonly string[]) =>
  streamOf([pieces.map((text) => textEvent(text)).join('') + finishEvent() + doneEvent]);

/** What partialObjects() gives after each of these pieces, as text, for the objects grow. */
async function states(pieces: readonly string[]): Promise<string[]> {
  const seen: string[] = [];
  for await (const state of writing(pieces).partialObjects()) seen.push(JSON.stringify(state));
  return seen;
}

/** A text in pieces that end at these places. */
function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set([...places.map((place) => place % text.length), text.length])];
  const sorted = ends.toSorted((a, b) => a - b);
  return sorted.map((end, index) => text.slice(sorted[index - 1] ?? 0, end)).filter(Boolean);
}

type Put = (value: unknown) => void;

/**
 * Writes a document piece by piece, and puts what each piece says where it belongs before it gives the piece: the other
 * way round than a parser.
 */
function* writings(value: unknown, put: Put, space: () => string): Generator<string> {
  if (typeof value === 'string') {
    let text = '';
    put(text);
    yield '"';
    for (const sign of value.split('')) {
      text += sign;
      put(text);
      yield escaped(sign, space() !== '');
    }
    yield '"';
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    const copy: object = isList ? [] : {};
    put(copy);
    yield isList ? '[' : '{';
    for (const [index, [name, inner]] of Object.entries(value).entries()) {
      if (index > 0) {
        yield space();
        yield ',';
      }
      yield space();
      if (!isList) yield `${JSON.stringify(name)}${space()}:`;
      const field = { writable: true, enumerable: true, configurable: true };
      const putInner: Put = (given) =>
        Object.defineProperty(copy, name, { ...field, value: given });
      yield* writings(inner, putInner, space);
    }
    yield space();
    yield isList ? ']' : '}';
  } else {
    yield JSON.stringify(value);
    // Only what follows tells that a number is over.
    put(value);
  }
}

/** One unit of a text as JSON; half of a character is left alone, and joins its other half. */
function escaped(sign: string, always: boolean): string {
  if (always) return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return /[\uD800-\uDFFF]/.test(sign) ? sign : JSON.stringify(sign).slice(1, -1);
}

/** A document, and what is known after so many of its characters. */
function written(value: unknown, spaces: readonly boolean[]) {
  let root: unknown;
  let turn = 0;
  const space = () => (spaces[(turn += 1) % spaces.length] ? '\n' : '');
  let text = '';
  const known: { after: number; state: string }[] = [];
  const put: Put = (given) => {
    root = given;
  };
  for (const piece of writings(value, put, space)) {
    if (piece === '') continue;
    text += piece;
    known.push({ after: text.length, state: JSON.stringify(root) });
  }
  const stateAfter = (length: number) =>
    known.findLast(({ after }) => after <= length)?.state ?? 'nothing';
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
  test('gives after every prefix of a document what the prefix says, and at last the document', async () => {
    const spaces = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });
    const places = fc.array(fc.nat(), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(root, spaces, places, fc.boolean(), async (value, gaps, at, each) => {
        const { text, stateAfter } = written(value, gaps);
        const pieces = each
          ? Array.from({ length: text.length }, (_, i) => text.charAt(i))
          : cut(text, at);
        let length = 0;
        const expected = pieces.map((piece) => stateAfter((length += piece.length)));
        expect(await states(pieces)).toEqual(expected);
        expect(expected.at(-1)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    [
      'numbers and words when they are whole',
      ['[1', '2', ',tr', 'ue', ',-1e', '3]'],
      ['[]', '[]', '[12]', '[12]', '[12,true]', '[12,true,-1000]'],
    ],
    [
      'texts as far as they have come',
      ['{"a":"x', 'y', '"}'],
      ['{"a":"x"}', '{"a":"xy"}', '{"a":"xy"}'],
    ],
    [
      'names when their value begins',
      ['{"na', 'me"', ':', ' [', ']}'],
      ['{}', '{}', '{}', '{"name":[]}', '{"name":[]}'],
    ],
    [
      'escapes when they are whole',
      ['["\\', 'n\\u00', 'e9', '"]'],
      ['[""]', '["\\n"]', '["\\né"]', '["\\né"]'],
    ],
    ['characters by their halves', ['["\\ud83d', '\\ude00"]'], ['["\\ud83d"]', '["😀"]']],
    [
      'the last of two fields of one name',
      ['{"a":1,', '"a":"', 'b"}'],
      ['{"a":1}', '{"a":""}', '{"a":"b"}'],
    ],
    ['a text that is all of the answer', ['"a', 'b"'], ['"a"', '"ab"']],
    ['nothing before there is anything', [' \n', ' {', '}', '\n'], ['{}', '{}']],
  ])('gives %s', async (_, pieces, expected) => {
    expect(await states(pieces)).toEqual(expected);
  });

  test.each([
    ['words before it', ['Sure! {"a":1}']],
    ['a fence around it', ['```json\n', '{"a":1}']],
    ['nothing', []],
  ])('gives nothing when the answer is not JSON but %s', async (_, pieces) => {
    expect(await states(pieces)).toEqual([]);
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
  ])('stops where the text %s is no JSON, without throwing', async (text, state) => {
    const all = await states([...Array.from(text), ' 2', '3']);
    expect(all.at(-1)).toBe(state);
  });

  test('alters no prototype', async () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const [value] = await collect(writing([text]).partialObjects());
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe(text);
  });

  test('gives one object that grows, and throws what the stream throws', async () => {
    const seen: unknown[] = [];
    const loop = async () => {
      for await (const state of streamOf([textEvent('{"a":'), textEvent('1,')]).partialObjects())
        seen.push(state);
    };
    await expect(loop()).rejects.toBeInstanceOf(StreamTruncatedError);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });
});

import { expect, test } from 'vitest';

import { clientCode } from '../../../src/tools/cli/doctor/summary.ts';
import {
  cleanRecord,
  createCleaner,
  KeyRemover,
  shellWord,
  wrap,
  wrapLines,
} from '../../../src/tools/cli/text.ts';

test('text is printed without API keys in any form, and without control characters', () => {
  const clean = createCleaner('canary/+"7');
  expect(clean('key canary/+"7, canary%2F%2B%227 and sk-other')).toBe('key …, … and sk-…');
  expect(clean('a\u001B[2Jb\r\nc\u009Bd\u2028e')).not.toMatch(/[\p{Cc}\p{Zl}]/u);
});

test('a short placeholder in place of a key does not garble words', () => {
  expect(createCleaner('test')('the latest test')).toBe('the latest test');
});

test('a record is printed without API keys in its texts, and with all of its numbers', () => {
  const record = { id: 'a 1700000000', created: 1_700_000_000 };
  expect(cleanRecord(record, '1700000000')).toEqual({ id: 'a …', created: 1_700_000_000 });
});

test('text wraps at spaces with a hanging indent, and long words are not split', () => {
  expect(wrap('aaa bbb ccc', 2, 9)).toBe('aaa bbb\n  ccc');
  expect(wrap('a https://gateway.example/v1 b', 2, 10)).toBe(
    'a\n  https://gateway.example/v1\n  b',
  );
  expect(wrap('aaa bbb', 2, Infinity)).toBe('aaa bbb');
});

test('a message wraps at words, and a command in it can still be pasted into a shell', () => {
  expect(wrapLines('polygate image: no model', 12)).toBe('polygate\nimage: no\nmodel');
  const command = "npx polygate task wait 'a b' --base-url http://127.0.0.1:8787/x --kind image";
  const line = `Submitted. If this is interrupted: ${command}`;
  expect(wrapLines(line, Infinity)).toBe(line);
  const [first, ...lines] = wrapLines(line, 40).split('\n');
  expect(first).toBe('Submitted. If this is interrupted:');
  expect([first, ...lines].filter((part) => (part ?? '').length > 40)).toEqual([]);
  expect(
    lines
      .join('\n')
      .replaceAll(/\s*\\\n\s*/g, ' ')
      .trim(),
  ).toBe(command);
  for (const code of ['{"json": "stays in one line"}', '  npm install a']) {
    expect(wrapLines(code, 10)).toBe(code);
  }
});

test('options are formatted as code that evaluates to the same options', () => {
  const options = {
    headerPrefix: `x-'"\\\n`,
    paths: { imageTask: `/v1/${'long/'.repeat(12)}{id}`, videoTask: '/v1/video/generations/{id}' },
    retryAmbiguous: { voices: true },
    headers: { 'x-tenant': 'a', ok: null },
    timeout: undefined,
    maxRetries: 3,
  };
  const code = clientCode(options);
  class Polygate {
    readonly options: unknown;
    constructor(given: unknown) {
      this.options = given;
    }
  }
  // oxlint-disable-next-line no-implied-eval
  const evaluate = new Function('Polygate', `${code}; return gateway.options;`);
  const { timeout: _, ...expected } = options;
  expect(evaluate(Polygate)).toEqual(expected);
  expect(code).toContain('\n  retryAmbiguous: { voices: true },\n');
  expect(code).toContain("\n  paths: {\n    imageTask: '/v1/long/");
});

test('an id of a service is one harmless word of the command that continues', () => {
  expect(shellWord('task_1-a.b:c')).toBe('task_1-a.b:c');
  expect(shellWord("a'; rm -rf $(x)\u001B[2J")).toBe(`'a'\\''; rm -rf $(x)'`);
  expect(shellWord('')).toBe("''");
});

test.each([
  ['as it is', 'sk-canary/51c7+a=='],
  ['in capitals', 'SK-CANARY/51C7+A=='],
  ['as JSON writers escape it', String.raw`sk-canary\/51c7\u002ba\u003D\u003d`],
  ['as in a URL', 'sk-canary%2f51c7%2Ba%3d%3d'],
  ['as in HTML', 'sk-canary&#47;51c7&#x2b;a&#61;='],
])('a key is removed %s, wherever the text is split', (_, form) => {
  const text = `a sk-ill ${form}${form} %2`;
  for (let first = 0; first <= text.length; first += 1) {
    for (let second = first; second <= text.length; second += 7) {
      const remover = new KeyRemover('sk-canary/51c7+a==');
      const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      const printed = pieces.map((piece) => remover.add(piece)).join('') + remover.end();
      expect([first, second, printed]).toEqual([first, second, 'a sk-ill …… %2']);
    }
  }
});

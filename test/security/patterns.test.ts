import { globSync, readFileSync } from 'node:fs';

import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** Every regular expression that is written in the sources, with the file where it stands. */
function patterns(): Map<string, RegExp> {
  const found = new Map<string, RegExp>();
  for (const file of globSync('src/**/*.ts')) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, pattern = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
        found.set(`${file} ${node.text}`, new RegExp(pattern, flags));
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

const pieces = [
  ' ',
  '\n',
  '/',
  '.',
  '0',
  '9',
  'a',
  'A',
  '_',
  '-',
  ':',
  '=',
  '{',
  '{a',
  '}',
  '[',
  '%2e',
  '\\',
  '+',
  '\ud800',
];

/** Pieces of a pattern and common ones: what it repeats, it meets many times in a text that is made of them. */
function hostileTexts({ source }: RegExp): ((length: number) => string)[] {
  const words = source.match(/[\w:/;,.=-]{2,}/g) ?? [];
  const [longest = ''] = words.toSorted((a, b) => b.length - a.length);
  return [...new Set([...pieces, ...words])].flatMap((piece) =>
    ['', longest].flatMap((start) =>
      ['', '\u0001', 'x', '!'].map(
        (end) => (length: number) => start + piece.repeat(Math.ceil(length / piece.length)) + end,
      ),
    ),
  );
}

/** The least time that something takes, ms, of some tries. */
function least(work: () => unknown, tries: number): number {
  let best = Infinity;
  for (let left = tries; left > 0; left -= 1) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** A small step first, so that a pattern that is quadratic is found before it takes its time. */
const steps = [1_000, 12_500];
const factor = 8;
const linear = 3 * factor;

/** How much longer a pattern takes for a text that is eight times as long: 8 when it is linear, 64 when it is not. */
function growth(pattern: RegExp, textOf: (length: number) => string): number {
  const time = (length: number, tries: number) => {
    const text = textOf(length);
    return least(() => (pattern.global ? text.replace(pattern, '') : pattern.test(text)), tries);
  };
  // What is over at once for a long text is linear as far as anybody can tell; a slow one is looked at again.
  const ratio = (length: number, tries: number) =>
    time(length * factor, tries) / Math.max(time(length, tries), 0.05);
  const slow = steps.find((length) => [1, 4, 12].every((tries) => ratio(length, tries) >= linear));
  return slow === undefined ? factor : Infinity;
}

describe('every regular expression is linear up to 100 KB of hostile text', () => {
  const all = patterns();

  test('all of them are found, and a quadratic one is told from a linear one', () => {
    expect(all.size).toBeGreaterThan(50);
    expect(growth(/\s+$/, (length) => `${' '.repeat(length)}x`)).toBe(Infinity);
    expect(growth(/^\s+$/, (length) => `${' '.repeat(length)}x`)).toBe(factor);
  });

  test.each([...all])('%s', (_, pattern) => {
    const slow = hostileTexts(pattern).filter((textOf) => growth(pattern, textOf) > factor);
    expect(slow.map((textOf) => textOf(40))).toEqual([]);
  });
});

import { globSync, readFileSync } from 'node:fs';

import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** Every regular expression literal in the sources, by file and source text. */
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
  '"',
  '<',
  '&',
  ',',
  ';',
  '\t',
  '\r\n',
  'a ',
  '\ud800',
];

/** Texts that repeat parts of the pattern or common characters, which its quantifiers may match many times. */
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

/** The shortest duration of several runs in ms. */
function minDuration(work: () => unknown, tries: number): number {
  let best = Infinity;
  for (let remaining = tries; remaining > 0; remaining -= 1) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** The short text comes first, so that a quadratic pattern is found before it takes long. */
const lengths = [125, 1_000, 12_500];
const factor = 8;
const linear = 3 * factor;

/** How much longer a pattern takes for a text that is eight times as long: 8 if it is linear, otherwise Infinity. */
function growth(pattern: RegExp, textOf: (length: number) => string): number {
  const time = (length: number, tries: number) => {
    const text = textOf(length);
    return minDuration(
      () => (pattern.global ? text.replace(pattern, '') : pattern.test(text)),
      tries,
    );
  };
  // Durations below the timer's precision count as linear; a slow result is measured again.
  const ratio = (length: number, tries: number) =>
    time(length * factor, tries) / Math.max(time(length, tries), 0.05);
  const slow = lengths.find((length) =>
    [1, 4, 12].every((tries) => ratio(length, tries) >= linear),
  );
  return slow === undefined ? factor : Infinity;
}

describe('every regular expression is linear up to 100 KB of hostile text', () => {
  const all = patterns();

  test('all of them are found, and quadratic ones are distinguished from linear ones', () => {
    expect(all.size).toBeGreaterThan(50);
    expect(growth(/\s+$/, (length) => `${' '.repeat(length)}x`)).toBe(Infinity);
    expect(growth(/^\s+$/, (length) => `${' '.repeat(length)}x`)).toBe(factor);
    // Quadratic ones take seconds on a quiet machine.
  }, 300_000);

  test.each([...all])('%s', (_, pattern) => {
    const slow = hostileTexts(pattern).find((textOf) => growth(pattern, textOf) > factor);
    expect(slow?.(40)).toBeUndefined();
  });
});

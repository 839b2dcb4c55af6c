import { readdirSync, readFileSync } from 'node:fs';

import * as polygate from 'polygate';
import { describe, expect, test } from 'vitest';

import { contents } from '../../scripts/contents.ts';
import { generatedFiles } from '../../scripts/generate-docs.ts';
import { guides, root } from './guides.ts';

const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const examples = [
  ...readdirSync(new URL('examples', root)).filter((name) => name.endsWith('.ts')),
  'queue/start.ts',
];

test.each(Array.from(generatedFiles()))(
  '%s matches the output of npm run docs:generate',
  (path, text) => {
    expect(read(path)).toBe(text);
  },
);

test('the start page lists every guide once', () => {
  const listed = contents().map(({ path }) => path);
  const existing = guides.map(({ path }) => path).filter((path) => /^(docs|examples)/.test(path));
  expect(listed).toHaveLength(new Set(listed).size);
  expect(listed).toEqual(
    expect.arrayContaining(existing.filter((path) => path !== 'docs/README.md')),
  );
});

test('the errors guide has one section per error class', () => {
  const classes = Object.keys(polygate).filter((name) => name.endsWith('Error'));
  const sections = Array.from(read('docs/errors.md').matchAll(/^### (\w+)/gm), ([, name]) => name);
  expect(sections).toHaveLength(new Set(sections).size);
  expect(new Set(['PolygateError', ...sections])).toEqual(new Set(classes));
});

describe.each(examples)('examples/%s', (name) => {
  test('is listed in examples/README.md', () => {
    expect(`${read('examples/README.md')} (demo.ts)`).toContain(`(${name})`);
  });

  test('is short and starts with a description', () => {
    const lines = read(`examples/${name}`).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^\/\*\*/);
    expect(name === 'demo.ts' || lines.length <= 60).toBe(true);
  });
});

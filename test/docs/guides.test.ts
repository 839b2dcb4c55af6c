import { existsSync, readFileSync } from 'node:fs';

import * as polygate from 'polygate';
import { beforeAll, describe, expect, test, vi } from 'vitest';

import { compile } from './compile.ts';
import { anchorsOf, guides, root, snippetsOf } from './guides.ts';
import { runPrograms } from './run-programs.ts';
import type { Result } from './run-programs.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
vi.stubEnv('POLYGATE_LOG', 'off');

const snippets = guides.flatMap((guide) => snippetsOf(guide));

/** What programs print against a fresh reference gateway; one that is not here may print anything. */
const printed: Readonly<Record<string, RegExp>> = {
  'README.md: Quick start': /^You said: "?Say hello.*\nhttp:\S+\.svg\S* together 0\.02\d+ USD\n$/,
  'README.md: Streaming': /Describe a harbour.*stop 0\.\d+\n$/,
  'README.md: Waiting for a task': /^succeeded 100\n\[\s*'http:\S+\.mp4/,
  'README.md: Receipts': /^http:\S+\.svg/,
  'README.md: Errors': /^$/,
  'docs/testing.md: Time': /^running\nsucceeded\n$/,
  'docs/testing.md: Faults': /^stop\n2 3 1\n$/,
  'docs/testing.md: Judging': /^20\n[4-8]\nSet\(1\) \{ 202 \}\n$/,
  'docs/testing.md: A socket': /^audio\/wav 1\n$/,
  'docs/testing.md: Real-person materials': /materialStatus: 'processing'.*\nasset:/s,
};

describe('every snippet compiles', () => {
  const messages = compile(snippets.map(({ file }) => file));
  test.each(snippets)('$title', ({ file }) => {
    expect(messages.get(file)).toEqual([]);
  });
});

describe('every program runs', () => {
  const programs = snippets.filter(({ kind }) => kind === 'program');
  let results: Result[];
  beforeAll(async () => {
    results = await runPrograms(programs);
  });

  test.each(programs.map(({ title }, index) => ({ title, index })))(
    '$title',
    ({ title, index }) => {
      expect(results[index]).toMatchObject({ stderr: '' });
      expect(results[index]).not.toHaveProperty('thrown');
      expect(results[index]?.stdout).toMatch(printed[title] ?? /^/);
    },
  );

  test('and what is expected of one belongs to one', () => {
    expect(programs.map(({ title }) => title)).toEqual(
      expect.arrayContaining(Object.keys(printed)),
    );
  });
});

describe('every test passes', () => {
  describe.each(snippets.filter(({ kind }) => kind === 'tests'))('$title', async ({ file }) => {
    await import(file);
  });
});

describe.each(guides)('$path', ({ path, text }) => {
  const named = (pattern: RegExp) =>
    Array.from(new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name)));

  test('names error classes that exist', () => {
    const known = (name: string) => name in polygate || name in globalThis;
    expect(named(/`([A-Z]\w*Error)`/g).filter((name) => !known(name))).toEqual([]);
  });

  test('links to files and headings that exist', () => {
    const broken = named(/\]\((?!\w+:)([^)\s]+)\)/g).filter((link) => {
      const url = new URL(link, new URL(path, root));
      const anchor = url.hash.slice(1);
      url.hash = '';
      return (
        !existsSync(url) ||
        (anchor !== '' && !anchorsOf(readFileSync(url, 'utf8')).includes(anchor))
      );
    });
    expect(broken).toEqual([]);
  });

  test('names scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named(/npm run ([\w:]+)/g)));
  });
});

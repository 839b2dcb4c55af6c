import { existsSync, readFileSync } from 'node:fs';

import * as aiSdk from '@ai-sdk/provider';
import * as polygate from 'polygate';
import { describe, expect, test, vi } from 'vitest';

import { compile } from './compile.ts';
import { anchorsOf, guides, root, snippetsOf } from './guides.ts';
import { printed } from './printed.ts';

vi.stubEnv('POLYGATE_LOG', 'off');

const snippets = guides.flatMap((guide) => snippetsOf(guide));

describe('every snippet compiles', () => {
  const diagnostics = compile(snippets.map(({ file }) => file));
  test.each(snippets)('$title', ({ file }) => {
    expect(diagnostics.get(file)).toEqual([]);
  });
});

const programs = snippets.filter(({ kind }) => kind === 'program');

test('every expected output belongs to a program', () => {
  expect(programs.map(({ title }) => title)).toEqual(expect.arrayContaining(Object.keys(printed)));
});

describe('every test passes', () => {
  describe.each(snippets.filter(({ kind }) => kind === 'tests'))('$title', async ({ file }) => {
    await import(file);
  });
});

describe.each(guides)('$path', ({ path, text }) => {
  const namesMatching = (pattern: RegExp) =>
    Array.from(new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name)));

  test('names error classes that exist', () => {
    // The last ones are names of errors, not classes.
    const names = [polygate, aiSdk, globalThis, { AbortError: true, TimeoutError: true }];
    const exists = (name: string) => names.some((known) => name in known);
    expect(namesMatching(/`([A-Z]\w*Error)`/g).filter((name) => !exists(name))).toEqual([]);
  });

  test('links to files and headings that exist', () => {
    const broken = namesMatching(/\]\((?!\w+:)([^)\s]+)\)/g).filter((link) => {
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
    expect(Object.keys(scripts)).toEqual(
      expect.arrayContaining(namesMatching(/npm run ([\w:-]+)/g)),
    );
  });
});

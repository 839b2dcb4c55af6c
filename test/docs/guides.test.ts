import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

import * as aiSdk from '@ai-sdk/provider';
import * as polygate from 'polygate';
import { beforeAll, describe, expect, test, vi } from 'vitest';

import { startRedis } from '../../examples/support/redis.ts';
import { compile } from './compile.ts';
import { anchorsOf, guides, root, snippetsOf } from './guides.ts';
import type { Snippet } from './guides.ts';
import { printed } from './printed.ts';
import { runPrograms } from './run-programs.ts';
import type { Result, Session } from './run-programs.ts';

vi.stubEnv('POLYGATE_LOG', 'off');

const snippets = guides.flatMap((guide) => snippetsOf(guide));

describe('every snippet compiles', () => {
  const diagnostics = compile(snippets.map(({ file }) => file));
  test.each(snippets)('$title', ({ file }) => {
    expect(diagnostics.get(file)).toEqual([]);
  });
});

const programs = snippets.filter(({ kind }) => kind === 'program');
const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
const guidesWithRedis = new Set(
  programs.filter(({ usesRedis }) => usesRedis).map(({ guide }) => guide),
);

function describePrograms(group: Snippet[]): void {
  const sequences = Array.from(new Set(group.map(({ guide }) => guide)), (guide) => ({
    guide,
    parts: group.filter((snippet) => snippet.guide === guide),
  }));
  let alone: Result[];
  let inSequence: Result[][];
  beforeAll(async () => {
    const usesRedis = group.some((snippet) => snippet.usesRedis);
    const stopRedis = usesRedis ? await startRedis() : undefined;
    const sessions = await runPrograms([
      ...group.map(({ file, ...options }) => sessionOf([file], options)),
      ...sequences.map(({ parts }) => sessionOf(parts.map(({ file }) => file))),
    ]);
    alone = sessions.slice(0, group.length).flat();
    inSequence = sessions.slice(group.length);
    await stopRedis?.();
  }, 180_000);

  test.each(group.map(({ title }, index) => ({ title, index })))('$title', ({ title, index }) => {
    expect(alone[index]).toMatchObject({ stderr: '' });
    expect(alone[index]).not.toHaveProperty('thrown');
    expect(alone[index]?.stdout).toMatch(printed[title] ?? /^/);
    expect(alone[index]?.stdout).not.toBe('');
  });

  test.each(sequences.map((sequence, index) => ({ ...sequence, index })))(
    '$guide, one after the other in one folder',
    ({ parts, index }) => {
      for (const [position, result] of inSequence[index]?.entries() ?? []) {
        const { title } = parts[position] ?? {};
        expect({ title, ...result }).toEqual({ ...result, title, stderr: '' });
        expect({ title, ...result }).not.toHaveProperty('thrown');
        expect({ title, ...result }).not.toMatchObject({ stdout: '' });
      }
    },
  );
}

function sessionOf(files: string[], { gatewayOptions }: Omit<Session, 'files'> = {}): Session {
  return { files, ...(gatewayOptions && { gatewayOptions }) };
}

describe('every program runs', () => {
  describePrograms(programs.filter(({ guide }) => !guidesWithRedis.has(guide)));
});

describe.skipIf(!hasRedis)('every program of a guide with Redis runs', () => {
  describePrograms(programs.filter(({ guide }) => guidesWithRedis.has(guide)));
});

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
    const exists = (name: string) => [polygate, aiSdk, globalThis].some((names) => name in names);
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
      expect.arrayContaining(namesMatching(/npm run ([\w:]+)/g)),
    );
  });
});

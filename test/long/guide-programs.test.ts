import { spawnSync } from 'node:child_process';

import { beforeAll, describe, expect, test } from 'vitest';

import { startRedis } from '../../examples/support/redis.ts';
import { guides, snippetsOf } from '../docs/guides.ts';
import type { Snippet } from '../docs/guides.ts';
import { printed } from '../docs/printed.ts';
import { runPrograms } from '../docs/run-programs.ts';
import type { Result, Session } from '../docs/run-programs.ts';

const snippets = guides.flatMap((guide) => snippetsOf(guide));
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

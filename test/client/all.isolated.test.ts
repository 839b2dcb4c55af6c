import { readFile, readdir } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { Part } from '../../src/client/http/part.ts';

test('polygate/all contains every part of the client', async () => {
  await import('../../src/all.ts');
  const core = new URL('../../src/', import.meta.url);
  const declared: string[] = [];
  const loaded: string[] = [];
  for (const path of await readdir(core, { recursive: true })) {
    if (!path.endsWith('.ts')) continue;
    const source = await readFile(new URL(path, core), 'utf8');
    if (!source.includes('new Part(')) continue;
    declared.push(path);
    const module: object = await import(new URL(path, core).href);
    const parts = Object.values(module).filter((value) => value instanceof Part);
    expect(parts).not.toEqual([]);
    if (parts.every((part) => part.loaded)) loaded.push(path);
  }
  expect(loaded).toEqual(declared);
});

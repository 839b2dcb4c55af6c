import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, inject, test } from 'vitest';

import { guides, snippetsOf } from '../docs/guides.ts';
import { createApp } from './app.ts';
import { run } from './run.ts';

const guide = guides.find(({ path }) => path === 'docs/testing.md') ?? { path: '', text: '' };
const jest = /NODE_OPTIONS=\S+ npx jest [^`]+/.exec(guide.text)?.[0] ?? 'false';
const recipes = snippetsOf(guide)
  .filter(({ title }) => title.includes('Test a server, a proxy or a page'))
  .map(({ code }) => code);

let app: string;

beforeAll(async () => {
  app = await createApp('recipes', [
    inject('tarball'),
    'vitest@5.1.0',
    'jest@30.5.2',
    '@happy-dom/global-registrator@21.0.4',
    'react@19.3.1',
    'react-dom@19.3.1',
  ]);
});

test('the guide has a recipe for a server with a proxy and for a page', () => {
  const [proxy, page] = recipes;
  expect(proxy).toContain('createProxyHandler');
  expect(page).toContain('useGeneration');
});

/** What the guide says to change for each test runner and how to run it, and what the runner prints. */
test.each([
  {
    runner: 'vitest',
    change: (code: string) => code,
    command: 'npx vitest run --no-color',
    passed: /Tests +2 passed/,
  },
  {
    runner: 'jest',
    change: (code: string) => code.replace("from 'vitest'", "from '@jest/globals'"),
    command: `${jest} 2>&1`,
    passed: /Tests: +2 passed/,
  },
  {
    runner: 'node:test',
    change: withAssert,
    command: 'node --test',
    passed: /pass 2$/m,
  },
])('the recipes pass in $runner', async ({ runner, change, command, passed }) => {
  const folder = join(app, runner.replace(':', '-'));
  await mkdir(folder);
  await Promise.all(
    recipes.map((code, index) => writeFile(join(folder, `${index}.test.mjs`), change(code))),
  );
  await writeFile(join(folder, 'package.json'), '{}');
  expect(await run('sh', ['-c', command], folder)).toMatch(passed);
});

function withAssert(code: string): string {
  return code
    .replace(
      "import { expect, test } from 'vitest';",
      "import assert from 'node:assert/strict';\nimport { test } from 'node:test';",
    )
    .replaceAll(/expect\((.*)\)\.toBe\((.*)\);/g, 'assert.equal($1, $2);');
}

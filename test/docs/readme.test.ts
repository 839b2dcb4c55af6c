import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, test } from 'vitest';

import { guides, snippetsOf } from './guides.ts';
import { runPrograms } from './run-programs.ts';
import type { Result } from './run-programs.ts';

const readme = guides.find(({ path }) => path === 'README.md') ?? { path: '', text: '' };

describe('the error handling snippet', () => {
  const route = 'POST /v1/images/tasks';
  let results: Result[];
  beforeAll(async () => {
    const snippet = snippetsOf(readme).find(({ title }) => title === 'README.md: Errors');
    const { file = '' } = snippet ?? {};
    const sessions = await runPrograms([
      { files: [file], fault: { route, status: 402 } },
      { files: [file], fault: { route, reset: 'after', times: 4 } },
    ]);
    results = sessions.flat();
  });

  test('reports an insufficient balance without a second request', () => {
    expect(results[0]).toMatchObject({ stdout: '', requests: [route] });
    expect(results[0]?.thrown).toContain('PaymentRequiredError');
  });

  test('is charged once even if every response to the first call is lost', () => {
    expect(results[1]).toMatchObject({ stdout: expect.stringMatching(/^http/), stderr: '' });
    expect(results[1]?.requests.filter((request) => request === route)).toHaveLength(5);
    expect(results[1]?.invoice).toHaveLength(1);
  });
});

test('the README names the dependencies that ask for a newer Node.js than the package', () => {
  const { engines, dependencies } = manifestOf('package.json');
  expect(engines?.node).toMatch(/^\^20\./);
  const newer = Object.keys(dependencies ?? {}).filter((name) => {
    const { node = '' } = manifestOf(`node_modules/${name}/package.json`).engines ?? {};
    return Number(/\d+/.exec(node)?.[0] ?? 0) > 20;
  });
  expect(newer).not.toEqual([]);
  for (const name of newer)
    expect(readme.text).toMatch(new RegExp(`engine-strict.*\`${name}\``, 's'));
});

interface Manifest {
  engines?: { node?: string };
  dependencies?: Record<string, string>;
}

const manifestOf = (path: string): Manifest =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

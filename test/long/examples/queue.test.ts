import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { runFromSource } from '../../run-from-source.ts';

const start = new URL('../../../examples/queue/start.ts', import.meta.url);
const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;

test('queue/start loses no row of a killed worker, and pays for each row once', async (context) => {
  context.skip(!hasRedis, 'redis-server is not installed');
  const run = await runFromSource(start, { env: { REDIS_URL: '' } });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toMatch(/^worker 1 is killed while \d+ rows are being submitted/m);
  expect(run.stdout).toMatch(/^60\/60 {2}60 succeeded {2}\$0\.30 /m);
  expect(run.stdout).toContain('60 rows succeeded: 60 charges, $0.30 in total\n');
  expect(run.stdout).not.toContain('\u001B');
});

test('queue/start says what to do without a Redis server', async () => {
  const run = await runFromSource(start, { env: { REDIS_URL: '', PATH: '' } });
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toMatch(/Install redis-server, or set REDIS_URL/);
});

test('queue/start stops what it has started on Ctrl-C', async (context) => {
  context.skip(!hasRedis, 'redis-server is not installed');
  const run = await runFromSource(start, { env: { REDIS_URL: '' }, interruptAt: 'workers 1' });
  expect(run).toMatchObject({ code: 130, stderr: '' });
});

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { expect, test } from 'vitest';

import { collect } from '../support/rejection.ts';

const hook = new URL('../from-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('batch-child.ts', import.meta.url));
const ids = Array.from({ length: 12 }, (_, row) => `row ${row}`);

/**
 * When the process is killed: at a step of writing its journal, at a step of a request, or `ms` after its first
 * request.
 */
interface KillPoint {
  step?: number;
  request?: number;
  ms?: number;
}

const killPoints: KillPoint[] = [
  // Each line has one step before it is written and one after.
  ...[1, 2, 3, 4, 5, 7, 8, 9, 14, 20, 26, 27, 31, 38, 45, 60, 70, 73].map((step) => ({ step })),
  // Each request has one step before it is handled and charged, and one before its response is sent.
  ...[1, 2, 3, 4, 5, 6, 7, 8, 11, 14, 17, 20, 23, 24, 27, 33, 38, 44].map((request) => ({
    request,
  })),
  ...Array.from({ length: 14 }, (_, index) => ({ ms: Math.round(Math.random() * 12 * index) })),
];

const cases = killPoints.map((killPoint, index) => ({
  killPoint,
  next: index % 3 === 2 ? 'recover' : 'batch',
}));

test('there are 50 kill points', () => {
  expect(cases).toHaveLength(50);
});

test.concurrent.each(cases)(
  'after a kill at $killPoint, $next charges each row once',
  async ({ killPoint, next }) => {
    const folder = await mkdtemp(join(tmpdir(), 'polygate-kill-'));
    const [path, takenPath] = [join(folder, 'run.jsonl'), join(folder, 'taken')] as const;
    const mock = createMockGateway({ tasks: { durationMs: 30 }, latencyMs: 5 });
    const running: { child?: ChildProcess } = {};
    let steps = 0;
    const reach = () => {
      steps += 1;
      if (steps === killPoint.request) running.child?.kill('SIGKILL');
      if (steps === 1 && killPoint.ms !== undefined)
        setTimeout(() => running.child?.kill('SIGKILL'), killPoint.ms);
    };
    const server = await listen({
      ...mock,
      fetch: async (...request) => {
        reach();
        const response = await mock.fetch(...request);
        reach();
        return response;
      },
    });
    const env = {
      ...process.env,
      POLYGATE_API_KEY: mock.apiKey,
      POLYGATE_BASE_URL: server.baseURL,
    };
    const storeParams = next === 'recover';
    const args = [path, takenPath, String(storeParams), String(killPoint.step)];
    const child = spawn(process.execPath, ['--import', hook, program, ...args], {
      env,
      stdio: 'inherit',
    });
    running.child = child;
    const [, signal] = await once(child, 'exit');
    if (killPoint.ms === undefined) expect(signal).toBe('SIGKILL');

    const { apiKey } = mock;
    const gateway = new Polygate({ apiKey, baseURL: server.baseURL, logLevel: 'error' });
    const options = { pollInterval: 10, maxPollInterval: 40 };
    const journal = fileJournal(path);
    const before = await readFile(path).catch(() => Buffer.alloc(0));
    if (next === 'recover') {
      const delivered = new Set((await readFile(takenPath, 'utf8').catch(() => '')).split('\n'));
      for (const row of await collect(gateway.recover(journal, options))) {
        if (row.id !== '') expect(row.status).toBe('succeeded');
        delivered.add(row.id);
      }
      for (const { prompt } of mock.tasks) expect(delivered).toContain(prompt);
    }
    const batch = gateway.batch(
      ids,
      (prompt) => gateway.images.submission({ model: 'prism-image', prompt }),
      { ...options, journal, id: (id) => id },
    );
    const rows = await collect(batch);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const row of rows) expect(row.error ?? row.status).toBe('succeeded');
    expect(mock.invoice).toHaveLength(12);
    expect(mock.tasks.map(({ prompt }) => prompt).toSorted()).toEqual(ids.toSorted());
    expect((await readFile(path)).subarray(0, before.length).equals(before)).toBe(true);
    await server.close();
    await rm(folder, { recursive: true });
  },
);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fileStore } from 'polygate/node';
import { storeTests } from 'polygate/proxy/testing';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polygate-store-'));
});
afterAll(() => rm(folder, { recursive: true }));

const newPath = () => join(folder, `${crypto.randomUUID()}.jsonl`);

function openStore(path: string) {
  const store = fileStore(path);
  onTestFinished(() => store.close());
  return store;
}

test('a second store on the file of another one in this process says which process uses it', async () => {
  const path = newPath();
  await openStore(path).ready();
  const { message } = await rejection(ConfigurationError, openStore(path).ready());
  expect(message).toContain(`is in use by this process (pid ${process.pid}) already. A file store`);
});

const limits = { windowMs: 1e12 };
const request = { user: 'ann', isChargedOnce: true, body: '', limits, usd: 0.5, leaseMs: 60_000 };

test.each(storeTests(() => openStore(newPath())))('$name', ({ run }) =>
  expect(run()).resolves.toBeUndefined(),
);

test('what was confirmed survives a SIGKILL, and a request in flight keeps its price reserved', async () => {
  const path = newPath();
  const script = `
    import { fileStore } from 'polygate/node';
    const store = fileStore(${JSON.stringify(path)});
    const request = ${JSON.stringify(request)};
    await store.reserve({ ...request, request: 'r1', attempt: 'a', key: 'k' });
    await store.own('ann', ['task_1']);
    console.log('ready');
    for (let id = 0; ; id += 1) {
      await store.own('ann', ['task ' + id]);
      console.log('task ' + id);
    }`;
  const child = spawn(
    process.execPath,
    ['--import', './test/from-source.ts', '--input-type=module', '-e', script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  for await (const part of child.stdout.iterator({ destroyOnReturn: false })) {
    output += String(part);
    if (output.includes('task 20\n')) break;
  }
  const error = await rejection(ConfigurationError, openStore(path).ready());
  expect(error.message).toMatch(new RegExp(`^fileStore: .* in use by process ${child.pid}\\.`));
  child.stdout.on('data', (part) => (output += String(part)));
  child.kill('SIGKILL');
  await once(child, 'close');
  const store = openStore(path);
  const usage = await store.usage('ann', limits.windowMs);
  expect(usage).toMatchObject({ reservedUsd: 0.5, requests: 1, inFlight: 0 });
  const again = { ...request, request: 'r2', attempt: 'a', key: 'k2' };
  expect((await store.reserve(again)).refused).toBe('attempt');
  const names = ['task_1', ...output.split('\n').filter((line) => /^task \d+$/.test(line))];
  expect(names.length).toBeGreaterThan(20);
  expect(new Set(await store.ownersOf(names))).toEqual(new Set(['ann']));
});

test('a line that was being written when the process died does not count', async () => {
  const path = newPath();
  const first = openStore(path);
  await first.own('ann', ['task_1']);
  await first.close();
  await appendFile(path, '[["owners","task_2","an');
  const store = openStore(path);
  await store.own('bob', ['task_2', 'task_3']);
  await store.close();
  expect(await openStore(path).ownersOf(['task_1', 'task_2'])).toEqual(['ann', 'bob']);
});

test.each([
  ['a damaged line', (text: string) => `${text}[["owners"\n[]\n`, / line 3 of /],
  ['a line of something else', (text: string) => `${text}{"a":1}\n`, / line 3 of /],
  ['another file', () => 'name,price\n', / is not a file of this version /],
])('a file with %s is an error, and is not changed', async (_, damage, message) => {
  const path = newPath();
  const first = openStore(path);
  await first.own('ann', ['task_1']);
  await first.close();
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  await writeFile(path, damage(`${lines.slice(0, 2).join('\n')}\n`));
  const before = await readFile(path, 'utf8');
  const store = openStore(path);
  for (const operation of [store.ready(), store.own('bob', ['task_9'])]) {
    expect((await rejection(ConfigurationError, operation)).message).toMatch(message);
  }
  expect(await readFile(path, 'utf8')).toBe(before);
});

test('a symbolic link leads to one file, also before the file exists', async () => {
  const path = newPath();
  const link = newPath();
  await symlink(path, link);
  const first = openStore(link);
  await first.own('ann', ['task_1']);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  const error = await rejection(ConfigurationError, openStore(path).ready());
  expect(error.message).toContain('in use');
  await first.close();
  expect(await openStore(path).ownersOf(['task_1'])).toEqual(['ann']);
});

test('closing ends with all operations that have begun', async () => {
  const path = newPath();
  const first = openStore(path);
  await first.ready();
  const names = Array.from({ length: 50 }, (_, index) => `task_${index}`);
  const owning: Promise<void>[] = [];
  for (const name of names) {
    // Some begin while others are being written.
    await new Promise(setImmediate);
    owning.push(first.own('ann', [name]));
  }
  await first.close();
  await Promise.all(owning);
  expect(await openStore(path).ownersOf(names)).not.toContain(undefined);
});

test('an attempt may be used again after ten minutes, although the clock has moved backwards', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const path = newPath();
  vi.setSystemTime(new Date('2027-01-01'));
  const first = openStore(path);
  await first.reserve({ ...request, request: 'r1', attempt: 'a' });
  await first.close();
  vi.setSystemTime(new Date('2026-01-01'));
  const now = performance.now();
  const store = openStore(path);
  const again = { ...request, attempt: 'a' };
  expect((await store.reserve({ ...again, request: 'r2' })).refused).toBe('attempt');
  vi.spyOn(performance, 'now').mockReturnValue(now + 700_000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await store.reserve({ ...again, request: 'r3' })).refused).toBeUndefined();
});

test('a window that began in the future, because the clock was wrong, ends with the current one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const day = { ...request, limits: { windowMs: 86_400_000, usd: 1 }, usd: 1 };
  const path = newPath();
  vi.setSystemTime(new Date('2036-01-01'));
  const first = openStore(path);
  await first.reserve({ ...day, request: 'r1' });
  await first.close();
  vi.setSystemTime(new Date('2026-01-01T23:59:59Z'));
  const store = openStore(path);
  const result = await store.reserve({ ...day, request: 'r2' });
  expect(result).toEqual({
    refused: 'usd',
    spentUsd: 0,
    windowEndsAt: Date.parse('2026-01-02'),
  });
  vi.setSystemTime(new Date('2026-01-02'));
  expect((await store.reserve({ ...day, request: 'r3' })).refused).toBeUndefined();
});

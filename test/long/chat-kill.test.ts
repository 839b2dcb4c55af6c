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
import { expect, onTestFinished, test } from 'vitest';

import { collect } from '../support/rejection.ts';

const hook = new URL('../from-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('chat-child.ts', import.meta.url));

/** A gateway that kills a process at a step of a request: before it is handled, or before its response is sent. */
async function killingGateway() {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-chat-kill-'));
  const mock = createMockGateway({ concurrencyLimit: 8, latencyMs: 10 });
  const prompts: string[] = [];
  const running: { child?: ChildProcess; step: number } = { step: Infinity };
  let steps = 0;
  const reach = () => {
    steps += 1;
    if (steps === running.step) running.child?.kill('SIGKILL');
  };
  const server = await listen({
    ...mock,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.method === 'POST') prompts.push(await request.clone().text());
      reach();
      const response = await mock.fetch(request);
      reach();
      return response;
    },
  });
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const { apiKey } = mock;
  const { baseURL } = server;
  const paths = [join(folder, 'run.jsonl'), join(folder, 'taken')] as const;
  /** Runs the batch in a process that is killed after so many steps. Returns the signal that has ended it. */
  const run = async (step: number, ...args: string[]) => {
    const env = { ...process.env, POLYGATE_API_KEY: apiKey, POLYGATE_BASE_URL: baseURL };
    steps = 0;
    running.step = step;
    const child = spawn(process.execPath, ['--import', hook, program, ...paths, ...args], {
      env,
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    running.child = child;
    child.stderr.resume();
    const [, signal] = await once(child, 'exit');
    return String(signal);
  };
  const gateway = new Polygate({ apiKey, baseURL, logLevel: 'off' });
  return { mock, prompts, paths, run, gateway };
}

const describeRow = (gateway: Polygate) => (prompt: string) =>
  gateway.chat.completions.submission({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: prompt }],
  });

test('300 chats whose process is killed ten times are sent at most once each', async () => {
  const { mock, prompts, paths, run, gateway } = await killingGateway();
  const [path, takenPath] = paths;
  const ids = Array.from({ length: 300 }, (_, row) => `row ${row}`);
  for (let kill = 0; kill < 10; kill += 1) {
    expect(await run(10 + Math.floor(Math.random() * 30), '300')).toBe('SIGKILL');
  }
  const taken = (await readFile(takenPath, 'utf8')).split('\n');
  const succeeded = new Set(taken.filter((line) => line.endsWith('succeeded')));
  const before = prompts.length;
  const finished = new Set<string>();
  for await (const line of fileJournal(path).read()) {
    const [, id] = /"type":"completed","id":"([^"]+)"/.exec(line) ?? [];
    if (id) finished.add(id);
  }

  const options = { journal: fileJournal(path), id: (prompt: string) => prompt };
  const rows = await collect(gateway.batch(ids, describeRow(gateway), options));
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(ids));
  const ended = new Map(rows.map(({ id, status }) => [id, status]));
  for (const id of finished) expect(ended.get(id)).toBe('succeeded');
  for (const line of succeeded) expect(ended.get(line.replace(' succeeded', ''))).toBe('succeeded');
  const sent = prompts.slice(before).join('\n');
  for (const id of finished) expect(sent).not.toContain(`"${id}"`);
  expect(new Set(prompts).size).toBe(prompts.length);
  expect(mock.invoice.length).toBeLessThanOrEqual(300);
  const unknown = rows.filter(({ status }) => status === 'unknown');
  // A kill can only leave the requests that have a slot, and the completions that are being stored.
  expect(unknown.length).toBeLessThanOrEqual(10 * 2 * 8);
  expect(rows.filter(({ status }) => status === 'succeeded').length + unknown.length).toBe(300);
});

test('a batch with maxUsd that is killed and run again never spends more in sum', async () => {
  const { mock, run } = await killingGateway();
  const spent = () => mock.invoice.reduce((sum, { usd }) => sum + usd, 0);
  expect(await run(20, '5')).toBe('null');
  const usd = spent() / 5;
  const maxUsd = String(Math.round(usd * 60 * 1e9) / 1e9);
  for (let kill = 0; kill < 4; kill += 1) {
    await run(8 + Math.floor(Math.random() * 20), '300', maxUsd);
  }
  await run(Infinity, '300', maxUsd);
  // The charges of chats differ. Each of eight in flight can cost more than all before.
  const largest = Math.max(...mock.invoice.map((entry) => entry.usd));
  expect(spent()).toBeLessThanOrEqual(Number(maxUsd) + 8 * largest);
  // At each of four kills, up to eight of the sixty chats that it pays for are reserved and never charged.
  expect(spent()).toBeGreaterThan(Number(maxUsd) * 0.4);
});

test('a batch with maxUsd that is killed before any price is known stops after four chats', async () => {
  const { mock, run } = await killingGateway();
  const signals: string[] = [];
  // The second step of a run is the response to its first chat, which is charged by then.
  for (let kill = 0; kill < 6; kill += 1) signals.push(await run(2, '300', '1'));
  expect(signals).toEqual([...Array(4).fill('SIGKILL'), 'null', 'null']);
  expect(mock.invoice).toHaveLength(4);
});

test('a second process is refused with the pid of the first', async () => {
  const { paths, gateway } = await killingGateway();
  const [path] = paths;
  const journal = fileJournal(path);
  const batch = gateway.batch(['row 1', 'row 2'], describeRow(gateway), { journal });
  await batch.next();
  const second = gateway.batch(['row 1'], describeRow(gateway), { journal: fileJournal(path) });
  await expect(collect(second)).rejects.toThrow(`pid ${process.pid}`);
  await batch.return();
});

import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';

import { beforeAll, describe, expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

let app: string;

beforeAll(async () => {
  app = await createApp('packed', [inject('tarball')]);
  await addFixture(app, 'chat-and-image.mjs');
  await addFixture(app, 'batch.mjs');
  await addFixture(app, 'hooks.mjs');
  await addFixture(app, 'require.cjs');
  await addFixture(app, 'proxy-errors.mjs');
});

// The oldest supported versions, and the latest of each major version.
describe.each(['20.19.0', '20', '22.12.0', '22', '24', '26'])('on Node %s', (version) => {
  let node: string;

  beforeAll(async () => {
    const runtime = await createApp(`node-${version}`, [`node@${version}`]);
    node = join(runtime, 'node_modules', 'node', 'bin', 'node');
  });

  test('an ES module chats and generates an image with the reference gateway on a port', async () => {
    const report: unknown = JSON.parse(await run(node, ['chat-and-image.mjs'], app));
    expect(report).toEqual({
      node: expect.stringMatching(new RegExp(`^v${version}(\\.|$)`)),
      completion: expect.stringMatching(/\S/),
      image: expect.stringMatching(/^(https?|data):/),
    });
  });

  test('a client with hooks chats, generates an image and resends no lost chat', async () => {
    const report: unknown = JSON.parse(await run(node, ['hooks.mjs'], app));
    expect(report).toEqual({
      completion: expect.stringMatching(/\S/),
      image: 'succeeded',
      lost: { name: 'ConnectionError', outcome: 'unknown' },
      failed: { name: 'HookError', outcome: 'unknown', task: expect.stringMatching(/\S/) },
      // The response to the lost chat is missing.
      counts: { hooked: true, missing: 1, chats: 2 },
    });
  });

  test('a batch in a file journal pauses at a 402, continues, and causes no warning of Node', async () => {
    const journal = `node-${version}.jsonl`;
    const report: unknown = JSON.parse(await run(node, ['batch.mjs', journal], app));
    const counts = { rowsDone: 5, rowsOpen: 35, succeeded: 40, charges: 40 };
    expect(report).toEqual({ ...counts, warnings: [] });
  });

  test('the polygate-mock command listens', async () => {
    const command = join(app, 'node_modules', 'polygate', 'dist', 'mock', 'cli.js');
    expect(await firstAddress(spawn(node, [command, '--port', '0']))).toMatch(/^http:/);
  });

  test('errors of the proxy and its stores are those of the package', async () => {
    expect(JSON.parse(await run(node, ['proxy-errors.mjs'], app))).toEqual([true, true, true]);
  });

  test('a CommonJS module requires the entry points', async () => {
    const report: unknown = JSON.parse(await run(node, ['require.cjs'], app));
    expect(report).toEqual({
      Polygate: 'function',
      ChatClient: 'function',
      sameErrors: true,
      createMockGateway: 'function',
      listen: 'function',
      fileJournal: 'function',
      saveTo: 'function',
    });
  });
});

test('the polygate-mock command is installed', async () => {
  const program = spawn(join(app, 'node_modules', '.bin', 'polygate-mock'), ['--port', '0']);
  expect(await firstAddress(program)).toMatch(/^http:/);
  program.kill();
});

test('the polygate command checks a gateway that it has started', async () => {
  const command = join(app, 'node_modules', '.bin', 'polygate');
  const mock = spawn(command, ['mock', '--port', '0']);
  const baseURL = await firstAddress(mock);
  const args = ['doctor', '--base-url', baseURL, '--api-key', 'sk-mock-demo', '--json'];
  const result: unknown = JSON.parse(await run(command, args, app));
  mock.kill();
  expect(result).toMatchObject({ ok: true, spentUsd: 0 });
});

/** The address that a program prints when it has started. */
async function firstAddress({ stdout }: ChildProcessWithoutNullStreams): Promise<string> {
  let output = '';
  for await (const part of stdout.iterator({ destroyOnReturn: false })) {
    output += String(part);
    if (/http:\S+[^]*\n$/.test(output)) break;
  }
  return /http:\/\/\S+:\d+/.exec(output)?.[0] ?? '';
}

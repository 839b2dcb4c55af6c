import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { beforeAll, describe, expect, inject, test } from 'vitest';

import { addFixture, createApp } from './app.ts';
import { run } from './run.ts';

let app: string;

beforeAll(async () => {
  app = await createApp('packed', [inject('tarball')]);
  await addFixture(app, 'chat-and-draw.mjs');
  await addFixture(app, 'require.cjs');
});

// The oldest that the package promises, and the newest of each line.
describe.each(['22.12.0', '22', '24', '26'])('on Node %s', (version) => {
  let node: string;

  beforeAll(async () => {
    const runtime = await createApp(`node-${version}`, [`node@${version}`]);
    node = join(runtime, 'node_modules', 'node', 'bin', 'node');
  });

  test('an ES module chats and draws against the listening reference gateway', async () => {
    const report: unknown = JSON.parse(await run(node, ['chat-and-draw.mjs'], app));
    expect(report).toEqual({
      node: expect.stringMatching(new RegExp(`^v${version}(\\.|$)`)),
      words: expect.stringMatching(/\S/),
      image: expect.stringMatching(/^(https?|data):/),
    });
  });

  test('a CommonJS module requires every entry', async () => {
    const report: unknown = JSON.parse(await run(node, ['require.cjs'], app));
    expect(report).toEqual({
      Polygate: 'function',
      ChatClient: 'function',
      sameErrors: true,
      createMockGateway: 'function',
      listen: 'function',
      fileJournal: 'function',
    });
  });
});

test('the command-line program listens and prints its base URL and a key', async () => {
  const program = spawn(join(app, 'node_modules', '.bin', 'polygate-mock'), ['--port', '0']);
  let printed = '';
  for await (const part of program.stdout) {
    printed += String(part);
    if (/http:\S+[^]*\n$/.test(printed)) break;
  }
  program.kill();
  expect(printed).toMatch(/http:\/\/\S+:\d+/);
});

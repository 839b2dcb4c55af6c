import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import { listen } from 'polygate/mock/node';
import { expect, onTestFinished, test } from 'vitest';

import recorded from '../../tools/cli/fixtures/state-0.3.json' with { type: 'json' };
import { runIn } from '../../tools/cli/program.ts';
import { callTool, connect } from '../mcp/support.ts';

/** Names of files and accounts, as version 0.3 has derived them. */
const digest = (text: string, length: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

/** The state folder of version 0.3, moved to a gateway that has its tasks. */
async function afterUpdate() {
  const mock = createMockGateway({ tasks: { durationMs: 0 }, imageFormat: 'svg' });
  const server = await listen(mock);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polygate-state-')));
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { apiKey } = mock;
  const gateway = new Polygate({ apiKey, baseURL: server.baseURL, logLevel: 'off' });
  const account = digest(`account ${server.baseURL} ${apiKey}`, 16);
  const state = join(folder, 'state', 'polygate');
  for (const part of ['tasks', 'mcp']) mkdirSync(join(state, part), { recursive: true });
  const place = (text: string) =>
    text
      .replaceAll(recorded.baseURL, server.baseURL)
      .replaceAll('be7e9ac38186a2e9', account)
      .replaceAll('/home/harbor', folder);
  for (const entry of Object.values(recorded.tasks)) {
    const { idempotencyKey } = entry;
    const prompt = `Harbor ${idempotencyKey.startsWith('mcp-') ? 'mcp' : idempotencyKey}`;
    const task = await gateway.images.submit({ model: 'prism-image', prompt }, { idempotencyKey });
    const known = 'receipt' in entry ? entry.receipt.id : 'no task';
    const text = place(JSON.stringify(entry)).replaceAll(known, task.id);
    const name = digest(`${account} ${idempotencyKey}`, 32);
    writeFileSync(join(state, 'tasks', `${name}.json`), text);
  }
  const media = join(folder, 'media');
  mkdirSync(media);
  for (const session of Object.values(recorded.mcp)) {
    writeFileSync(join(state, 'mcp', `${digest(media, 32)}.json`), place(JSON.stringify(session)));
  }
  const env = {
    POLYGATE_BASE_URL: server.baseURL,
    POLYGATE_API_KEY: apiKey,
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  };
  const run = (...args: string[]) => runIn(folder, args, env);
  return { mock, env, folder, media, run };
}

test('tasks of version 0.3 are listed and continued, and nothing is paid for again', async () => {
  const { mock, run, folder } = await afterUpdate();
  const { length } = mock.invoice;
  const list = await run('task', 'list', '--json');
  const statuses = JSON.parse(list.stdout).map((entry: any) => [
    entry.idempotencyKey,
    entry.status,
  ]);
  expect(statuses).toEqual([
    ['succeeded', 'succeeded'],
    ['accepted', 'submitted'],
    ['lost', 'unknown'],
    [expect.stringMatching(/^mcp-/), 'unknown'],
  ]);
  for (const key of ['succeeded', 'accepted', 'lost']) {
    expect(await run('task', 'wait', key)).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, `${key}.svg`), 'utf8')).toContain('<svg');
  }
  const again = await run(
    'image',
    'Harbor lost',
    '-m',
    'prism-image',
    '--idempotency-key',
    'lost',
    '--force',
  );
  expect(again.code).toBe(0);
  expect(mock.invoice).toHaveLength(length);
});

test('a call that a server of version 0.3 has sent is continued by the same call', async () => {
  const { mock, env, media } = await afterUpdate();
  const { length } = mock.invoice;
  const { client } = await connect({ mock, env, output: media });
  const reply = await callTool(client, 'generate_image', {
    model: 'prism-image',
    prompt: 'Harbor mcp',
  });
  expect(reply.text).toContain('Saved: ');
  expect(mock.invoice).toHaveLength(length);
  await client.close();
});

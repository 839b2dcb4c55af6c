import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';

import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { callTool, connect, setUp } from './support.ts';

const harbor = { model: 'prism-image', prompt: 'A harbor' };
const submits = (mock: { requests: readonly { method: string }[] }) =>
  mock.requests.filter(({ method }) => method === 'POST');

test('a call that a client repeats after its timeout returns the same task, paid once', async () => {
  const setup = await setUp({ clock: 'virtual', tasks: { durationMs: 1500 } });
  const { mock } = setup;
  const { client } = await connect(setup);
  // On a busy machine, a timeout may come before the request is sent.
  while (mock.tasks.length === 0) {
    const call = callTool(client, 'generate_image', harbor, { timeout: 300 });
    await expect(call).rejects.toThrow(/timed out/i);
  }
  await mock.clock.advance(1500);
  const { text, isError } = await callTool(client, 'generate_image', {
    prompt: harbor.prompt,
    model: harbor.model,
  });
  expect({ isError, tasks: mock.tasks.length, charges: mock.invoice.length }).toEqual({
    isError: false,
    tasks: 1,
    charges: 1,
  });
  expect(text).toContain(mock.tasks[0]!.id);
  expect(text).toContain('An earlier call has paid for it.');
});

test('a cancelled call keeps what was sent, and a repetition returns it', async () => {
  const setup = await setUp({ latencyMs: 300 });
  const { mock } = setup;
  const { client } = await connect(setup);
  const cancel = new AbortController();
  const call = callTool(client, 'generate_image', harbor, { signal: cancel.signal });
  await eventually(() => expect(submits(mock)).toHaveLength(1));
  cancel.abort();
  await expect(call).rejects.toThrow(/./);
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  expect(submits(mock)).toHaveLength(1);
  expect(mock.invoice).toHaveLength(1);
});

test('a call that is cancelled before its request was sent does not cancel an equal one', async () => {
  const setup = await setUp({ clock: 'virtual' });
  const { mock } = setup;
  const { client } = await connect(setup);
  mock.fail({ route: 'GET /v1/models/{model}', delayMs: 3000, times: 1 });
  const cancel = new AbortController();
  const cancelled = callTool(client, 'generate_image', harbor, { signal: cancel.signal });
  await eventually(() => expect(mock.requests.length).toBeGreaterThan(0));
  const other = callTool(client, 'generate_image', harbor);
  // The server has received both calls when it responds to a later one.
  await callTool(client, 'list_tasks');
  cancel.abort();
  await expect(cancelled).rejects.toThrow(/./);
  await callTool(client, 'list_tasks');
  await mock.clock.advance(3000);
  expect(await other).toMatchObject({ isError: false });
  expect(mock.invoice).toHaveLength(1);
});

test('a call that is cancelled before its request was sent costs nothing, and leaves no trace', async () => {
  const setup = await setUp({ clock: 'virtual' });
  const { mock, env } = setup;
  const { client } = await connect(setup, ['--max-usd', '0.02']);
  mock.fail({ route: 'GET /v1/models/{model}', delayMs: 3000, times: 1 });
  const cancel = new AbortController();
  const cancelled = callTool(client, 'generate_image', harbor, { signal: cancel.signal });
  await eventually(() => expect(mock.requests.length).toBeGreaterThan(0));
  cancel.abort();
  await expect(cancelled).rejects.toThrow(/./);
  // The server has received the cancellation when it responds to a later call.
  await callTool(client, 'list_tasks');
  await mock.clock.advance(3000);
  // The whole budget is left for another one.
  const other = { ...harbor, prompt: 'A pier' };
  await eventually(() => expect(mock.requests.length).toBeGreaterThan(1));
  expect(await callTool(client, 'generate_image', other)).toMatchObject({ isError: false });
  expect(mock.invoice).toHaveLength(1);
  expect(readdirSync(`${env.XDG_STATE_HOME}/polygate/tasks`)).toHaveLength(1);
});

test('a server that is killed while the request is in flight gets the same task when it is started again', async () => {
  const setup = await setUp();
  const { mock } = setup;
  const killed = await connect(setup);
  mock.fail({ route: 'POST /v1/images/tasks', stallHeaders: true, times: 1 });
  const call = callTool(killed.client, 'generate_image', harbor);
  call.catch(() => undefined);
  await eventually(() => expect(mock.invoice).toHaveLength(1));
  process.kill(killed.transport.pid!, 'SIGKILL');
  await expect(call).rejects.toThrow(/./);

  const { client } = await connect(setup);
  const { text: list } = await callTool(client, 'list_tasks');
  expect(list).toMatch(/may have been charged; repeat the call/);
  const { text, isError } = await callTool(client, 'generate_image', harbor);
  expect(isError).toBe(false);
  expect(text).toContain(mock.tasks[0]!.id);
  expect({ tasks: mock.tasks.length, charges: mock.invoice.length }).toEqual({
    tasks: 1,
    charges: 1,
  });
  mock.assertPaidOnce();
});

test('a server that is killed during the wait continues with the receipt, and sends nothing again', async () => {
  const setup = await setUp({ clock: 'virtual', tasks: { durationMs: 2000 } });
  const { mock } = setup;
  const killed = await connect(setup);
  const call = callTool(killed.client, 'generate_image', harbor);
  call.catch(() => undefined);
  await eventually(() =>
    expect(mock.requests.some(({ path }) => path.includes('task_'))).toBe(true),
  );
  process.kill(killed.transport.pid!, 'SIGKILL');
  await expect(call).rejects.toThrow(/./);
  await mock.clock.advance(2000);

  const { client } = await connect(setup);
  const repeated = await callTool(client, 'generate_image', harbor);
  const looked = await callTool(client, 'get_task', { task_id: mock.tasks[0]!.id });
  expect([repeated.isError, looked.isError]).toEqual([false, false]);
  expect(submits(mock)).toHaveLength(1);
  expect(readdirSync(setup.output)).toHaveLength(1);
});

test('equal calls at the same time, even on two servers, are one task and one file', async () => {
  const setup = await setUp({ latencyMs: 20, tasks: { durationMs: 300 } });
  const { mock } = setup;
  const servers = [await connect(setup), await connect(setup)];
  const calls = [0, 0, 1, 1].map((index) =>
    callTool(servers[index]!.client, 'generate_image', harbor),
  );
  const replies = await Promise.all(calls);
  expect(replies.map(({ isError }) => isError)).toEqual([false, false, false, false]);
  expect({ tasks: mock.tasks.length, charges: mock.invoice.length }).toEqual({
    tasks: 1,
    charges: 1,
  });
  expect(readdirSync(setup.output)).toHaveLength(1);
  mock.assertPaidOnce();
});

test('a label generates another result, which can be repeated as well', async () => {
  const setup = await setUp();
  const { mock, output } = setup;
  const { client } = await connect(setup);
  for (const again of [undefined, undefined, 2, '2', 'blue', 'blue']) {
    const reply = await callTool(client, 'generate_image', { ...harbor, again });
    expect(reply.isError).toBe(false);
  }
  expect(mock.invoice).toHaveLength(3);
  expect(readdirSync(output)).toHaveLength(3);
});

test('other arguments, another tool and another folder are other tasks', async () => {
  const setup = await setUp();
  const { mock } = setup;
  const { client } = await connect(setup);
  const calm = { model: 'anthem-music', prompt: 'Calm' };
  await callTool(client, 'generate_music', calm);
  await callTool(client, 'generate_music', { ...calm, is_instrumental: true });
  const elsewhere = await connect({ ...setup, output: `${setup.output}-2` });
  await callTool(elsewhere.client, 'generate_music', calm);
  expect(mock.invoice).toHaveLength(3);
});

test('the request is in the state folder before it is sent, for its owner only', async () => {
  const setup = await setUp();
  const { mock, env } = setup;
  const { client } = await connect(setup);
  mock.fail({ route: 'POST /v1/images/tasks', stallHeaders: true });
  const call = callTool(client, 'generate_image', harbor);
  call.catch(() => undefined);
  await eventually(() => expect(submits(mock)).toHaveLength(1));
  const folder = `${env.XDG_STATE_HOME}/polygate/tasks`;
  const [name = ''] = readdirSync(folder);
  const path = `${folder}/${name}`;
  const entry = JSON.parse(readFileSync(path, 'utf8'));
  expect(entry).toMatchObject({
    idempotencyKey: expect.stringMatching(/^mcp-[\da-f]{64}$/),
    request: { kind: 'image', model: 'prism-image', prompt: 'A harbor' },
  });
  expect(entry.idempotencyKey).toBe(mock.invoice[0]!.idempotencyKey);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(readFileSync(path, 'utf8')).not.toContain(mock.apiKey);
});

test('the server ends when stdin closes, although a call waits for a task, and the task is not lost', async () => {
  const setup = await setUp({ tasks: { durationMs: 3000 } });
  const { mock } = setup;
  const { client, transport } = await connect(setup);
  const call = callTool(client, 'generate_image', harbor);
  call.catch(() => undefined);
  await eventually(() => expect(mock.tasks).toHaveLength(1));
  await eventually(() =>
    expect(readdirSync(`${setup.env.XDG_STATE_HOME}/polygate/tasks`)).toHaveLength(1),
  );
  const child: ChildProcess = Reflect.get(transport, '_process');
  const ended = once(child, 'exit');
  child.stdin!.end();
  expect(await ended).toEqual([0, null]);

  const next = await connect(setup);
  const { isError } = await callTool(next.client, 'generate_image', harbor);
  expect({ isError, charges: mock.invoice.length }).toEqual({ isError: false, charges: 1 });
});

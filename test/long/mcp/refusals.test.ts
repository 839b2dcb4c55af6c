import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { callTool, connect, setUp } from './support.ts';
import type { Reply } from './support.ts';

const harbor = { model: 'prism-image', prompt: 'A harbor' };
const pier = { ...harbor, prompt: 'A pier' };
const route = 'POST /v1/images/tasks';
const allowOther = ['--max-usd', '1', '--allow-model', 'tide-video'];

function expectContinuation({ text, isError }: Reply) {
  expect(isError).toBe(true);
  expect(text.split('\n').at(-1)).toMatch(/^To continue: ./);
  expect(text).not.toMatch(/\brow\b|idempotency key|error\./);
}

test('a server that may not use a model continues its tasks for free, and denies no earlier charge', async () => {
  const setup = await setUp();
  const { mock } = setup;
  const first = await connect(setup);
  await callTool(first.client, 'generate_image', harbor);
  mock.fail({ route, reset: 'after' });
  await callTool(first.client, 'generate_image', pier);
  await first.client.close();
  mock.clearFaults();
  expect(mock.invoice).toHaveLength(2);
  const sent = mock.requests.filter(({ method }) => method === 'POST').length;

  const { client } = await connect(setup, allowOther);
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  const { id } = mock.tasks.find(({ prompt }) => prompt === 'A harbor')!;
  expect(await callTool(client, 'get_task', { task_id: id })).toMatchObject({ isError: false });
  const lost = await callTool(client, 'generate_image', pier);
  expectContinuation(lost);
  expect(lost.text).toMatch(/tide-video only[^]*an earlier one may have been/);
  expect(lost.text).not.toContain('Nothing was charged');
  const fresh = await callTool(client, 'generate_image', { ...harbor, prompt: 'A buoy' });
  expectContinuation(fresh);
  expect(fresh.text).toContain('Nothing was charged.');
  expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(sent);
  expect(mock.invoice).toHaveLength(2);
});

test('every refusal of a lost call says that it may have been charged, and how to continue', async () => {
  const setup = await setUp();
  const { mock } = setup;
  const first = await connect(setup);
  mock.fail({ route, reset: 'after' });
  expectContinuation(await callTool(first.client, 'generate_image', harbor));
  await first.client.close();
  mock.clearFaults();
  const servers = [
    ['--max-usd', '0.01'],
    ['--max-usd', '1', '--max-usd-per-call', '0.01'],
    allowOther,
  ];
  for (const args of servers) {
    const { client } = await connect(setup, args);
    const refused = await callTool(client, 'generate_image', harbor);
    expectContinuation(refused);
    expect(refused.text).toContain('an earlier one may have been.');
    expect(refused.text).not.toContain('Nothing was charged');
    await client.close();
  }
  const { client } = await connect(setup);
  const faults = [
    { route, status: 402 },
    { route: 'GET /v1/models/{model}', status: 404 },
  ];
  for (const fault of faults) {
    mock.fail(fault);
    const refused = await callTool(client, 'generate_image', harbor);
    expectContinuation(refused);
    expect(refused.text).toMatch(/may have been/);
    expect(refused.text).not.toContain('Nothing was charged');
    mock.clearFaults();
  }
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  expect(mock.invoice).toHaveLength(1);
});

test('a cancelled repetition that sends nothing reserves nothing', async () => {
  const setup = await setUp({ clock: 'virtual' });
  const { mock } = setup;
  const first = await connect(setup);
  mock.fail({ route, reset: 'before' });
  await callTool(first.client, 'generate_image', pier);
  await first.client.close();
  mock.clearFaults();
  mock.clearRecords();
  const { client } = await connect(setup, ['--max-usd', '0.02']);
  mock.fail({ route: 'GET /v1/models/{model}', delayMs: 5000, times: 1 });
  const cancel = new AbortController();
  const cancelled = callTool(client, 'generate_image', pier, { signal: cancel.signal });
  await eventually(() => expect(mock.requests.length).toBeGreaterThan(0));
  cancel.abort();
  await expect(cancelled).rejects.toThrow(/./);
  // The server has received the cancellation when it responds to a later call.
  await callTool(client, 'list_tasks');
  await mock.clock.advance(5000);
  await eventually(() => expect(mock.requests.length).toBeGreaterThan(1));
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  expect(mock.invoice.map(({ usd }) => usd)).toEqual([0.02]);
});

test('a damaged receipt leaves the key, which reaches the task without a second charge', async () => {
  const setup = await setUp();
  const first = await connect(setup);
  await callTool(first.client, 'generate_image', harbor);
  await first.client.close();
  const folder = `${setup.env.XDG_STATE_HOME}/polygate/tasks`;
  const [name = ''] = readdirSync(folder);
  const entry = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));
  writeFileSync(`${folder}/${name}`, JSON.stringify({ ...entry, receipt: { v: 1 } }));
  const { client } = await connect(setup);
  const reply = await callTool(client, 'generate_image', harbor);
  expect(reply).toMatchObject({ isError: false });
  expect(setup.mock.invoice).toHaveLength(1);
});

test('every other error says how to continue', async () => {
  const setup = await setUp();
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '0.05']);
  expectContinuation(await callTool(client, 'generate_image', { ...harbor, extra: 1 }));
  expectContinuation(await callTool(client, 'generate_image', { ...harbor, n: 3 }));
  expectContinuation(await callTool(client, 'generate_image', { ...harbor, size: '64x64' }));
  expectContinuation(await callTool(client, 'generate_image', { ...harbor, model: 'none' }));
  expectContinuation(await callTool(client, 'get_task', { task_id: 'task_none' }));
  expectContinuation(await callTool(client, 'list_models', { type: 'text' }));
  for (const status of [400, 401, 402, 500]) {
    mock.fail({ route, status, times: 1 });
    if (status !== 500) expectContinuation(await callTool(client, 'generate_image', harbor));
  }
  mock.clearFaults();
  mock.fail({ route: 'GET /v1/images/tasks/{id}', status: 403 });
  mock.fail({ route: 'GET /media/{id}', status: 403 });
  expectContinuation(await callTool(client, 'generate_image', harbor));
  mock.clearFaults();
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  expect(mock.invoice).toHaveLength(1);
});

test('an API key in the id of a task reaches neither replies nor logs, and the task can be continued', async () => {
  const setup = await setUp({ tasks: { durationMs: 0 } });
  const { mock } = setup;
  const { client, stderr } = await connect(setup, ['--max-usd', '1', '--wait', '0']);
  const id = `task-${mock.apiKey}`;
  mock.fail({
    route,
    handled: true,
    status: 202,
    headers: { 'x-svc-task-id': null, location: null },
    body: { id, task_id: id, status: 'queued' },
    times: 1,
  });
  const replies = [
    await callTool(client, 'generate_image', harbor),
    await callTool(client, 'generate_image', harbor),
    await callTool(client, 'list_tasks'),
  ];
  expect(replies[0]!.text).toContain('repeat this call');
  const texts = replies.map(({ text }) => text).join('\n') + stderr();
  expect(texts).toContain('Submitted as task-');
  expect(texts).not.toContain(mock.apiKey);
  expect(mock.invoice).toHaveLength(1);
});

test('no reply has half a character, which some clients reject', async () => {
  const setup = await setUp();
  const { client } = await connect(setup);
  setup.mock.fail({ route: 'POST /v1/images/tasks', reset: 'after' });
  const prompt = `${'x'.repeat(79)}😀`;
  await callTool(client, 'generate_image', { model: 'prism-image', prompt });
  const { text } = await callTool(client, 'list_tasks');
  expect(text).toContain('xxx\u{FFFD}"');
  expect(text).not.toMatch(/\p{Surrogate}/u);
});

test('no reply has hidden text of the service', async () => {
  const setup = await setUp();
  const { client } = await connect(setup);
  const message = 'bad \u{202E}\u{E0069}\u{E0067}size';
  setup.mock.fail({ route, status: 400, body: { error: { message } } });
  const { text } = await callTool(client, 'generate_image', harbor);
  expect(text).toContain('bad size');
});

test('a damaged price does not hide other models', async () => {
  const setup = await setUp();
  const { client } = await connect(setup);
  const models = [
    {
      id: 'odd',
      type: 'image',
      pricing: { resolutionPrices: [{ resolution: 1, unitPriceUsd: 0.02 }] },
    },
    { id: 'plain', type: 'image', pricing: { unitPriceUsd: 0.02 } },
  ];
  const body = { object: 'list', data: models };
  setup.mock.fail({ route: 'GET /v1/models', status: 200, body });
  const { text, isError } = await callTool(client, 'list_models');
  expect(isError).toBe(false);
  expect(text).toMatch(/^odd .*not readable\nplain .*\$0\.02/);
});

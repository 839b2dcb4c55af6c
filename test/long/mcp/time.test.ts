import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { callTool, connect, setUp } from './support.ts';

const harbor = { model: 'prism-image', prompt: 'A harbor' };
/** Less than the 60 seconds for which the client waits for a response. */
const options = { timeout: 30_000 };

test('a poll without a response does not hold a call beyond its limit', async () => {
  const setup = await setUp({ tasks: { durationMs: 600_000 } });
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '1', '--wait', '0']);
  mock.fail({ route: 'GET /v1/images/tasks/{id}', stallHeaders: true });
  const generated = await callTool(client, 'generate_image', harbor, options);
  const id = mock.tasks[0]!.id;
  expect(generated.text).toContain(`call get_task with task_id ${id}`);
  expect(generated.text).toContain('Price: $0.02');
  const found = await callTool(client, 'get_task', { task_id: id }, options);
  expect(found).toMatchObject({ isError: false, text: expect.stringContaining(id) });
  expect(mock.invoice).toHaveLength(1);
});

test('a wait that ends while a poll has no response returns the id of the task', async () => {
  const setup = await setUp({ tasks: { durationMs: 600_000 } });
  const { client } = await connect(setup, ['--max-usd', '1', '--wait', '2']);
  setup.mock.fail({ route: 'GET /v1/images/tasks/{id}', stallBody: 5 });
  const { text } = await callTool(client, 'generate_image', harbor, options);
  expect(text).toContain('call get_task with task_id');
});

test('every free tool returns although the service does not respond', async () => {
  const setup = await setUp();
  const { client } = await connect(setup, ['--max-usd', '1', '--wait', '0']);
  setup.mock.fail({ stallHeaders: true });
  const replies = await Promise.all([
    callTool(client, 'list_models', {}, options),
    callTool(client, 'estimate', { kind: 'image', ...harbor }, options),
    callTool(client, 'balance', {}, options),
    callTool(client, 'list_tasks', {}, options),
    callTool(client, 'get_task', { task_id: 'task_1' }, options),
  ]);
  for (const { text } of replies.slice(0, 3)) {
    expect(text).toMatch(/not responded[^]*Nothing was charged\.\nTo continue: repeat/);
  }
  expect(replies.map(({ isError }) => isError)).toEqual([true, true, true, false, true]);
});

test('a generation returns although the service does not respond, says what it knows, and is paid once', async () => {
  const setup = await setUp();
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '1', '--wait', '0']);
  mock.fail({ stallHeaders: true });
  const before = await callTool(client, 'generate_image', harbor, options);
  expect(before.text).toMatch(/still being sent, and may be charged\.\nTo continue: repeat/);
  mock.clearFaults();
  mock.fail({ route: 'POST /v1/images/tasks', stallHeaders: true, times: 1 });
  const other = { ...harbor, prompt: 'A pier' };
  const sent = await callTool(client, 'generate_image', other, options);
  expect(sent.text).toMatch(/may be charged\.\nTo continue: repeat/);
  await eventually(() => expect(mock.invoice).toHaveLength(1));
});

test('the quota of a failed task that cannot be read does not hold the call', async () => {
  const setup = await setUp({ tasks: { durationMs: 0, outcome: 'failed' } });
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '1', '--wait', '0']);
  let reads = 0;
  mock.fail({
    when: ({ path }) => path.endsWith('/api/usage/balance') && ++reads > 1,
    stallHeaders: true,
  });
  const { text, isError } = await callTool(client, 'generate_image', harbor, options);
  expect(isError).toBe(true);
  expect(text).toMatch(/was charged \$0\.02\. Whether it was refunded is not known/);
});

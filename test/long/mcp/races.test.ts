import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { callTool, connect, setUp } from './support.ts';

const harbor = { model: 'prism-image', prompt: 'A harbor' };
const route = 'POST /v1/images/tasks';

/** Two servers, of which the first one looks up the model until the second one has paid for the same call. */
async function setUpRace() {
  const setup = await setUp({ clock: 'virtual' });
  const { mock } = setup;
  const [slow, fast] = [await connect(setup), await connect(setup)];
  mock.fail({ route: 'GET /v1/models/{model}', delayMs: 12_000, times: 1 });
  const call = callTool(slow.client, 'generate_image', harbor);
  await eventually(() => expect(mock.requests.length).toBeGreaterThan(0));
  const paid = await callTool(fast.client, 'generate_image', harbor);
  expect(paid.isError).toBe(false);
  return { setup, mock, slow, call };
}

test('a server continues the task that another one has paid for while it looked up the price', async () => {
  const { setup, mock, slow, call } = await setUpRace();
  mock.fail({ route, status: 402 });
  await mock.clock.advance(12_000);
  const reply = await call;
  expect(reply.isError).toBe(false);
  expect(reply.text).toContain('An earlier call has paid for it.');
  expect(reply.text).toContain('$2.00 of $2.00 is left');
  expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  expect(slow.stderr()).not.toContain('Submitted');
  // The receipt is still there, for every later process.
  const { client } = await connect(setup);
  const found = await callTool(client, 'get_task', { task_id: mock.tasks[0]!.id });
  expect(found.isError).toBe(false);
  expect(readFileSync(/Saved: (.*) \(/.exec(found.text)?.[1] ?? '').length).toBeGreaterThan(0);
});

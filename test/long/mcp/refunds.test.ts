import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { callTool, connect, setUp } from './support.ts';

const harbor = { model: 'prism-image', prompt: 'A harbor' };
const storm = { ...harbor, prompt: 'A storm' };
const route = 'POST /v1/images/tasks';

/** A gateway on which storms fail and are refunded. */
const setUpStorms = (assumptions = {}) =>
  setUp({
    assumptions,
    tasks: {
      durationMs: 0,
      outcome: ({ prompt }) => (prompt === 'A storm' ? 'failed' : 'succeeded'),
    },
  });

test('the refund of a task whose first response was lost returns to the budget', async () => {
  const setup = await setUpStorms();
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '0.02']);
  mock.fail({ route, reset: 'after' });
  const lost = await callTool(client, 'generate_image', storm);
  expect(lost.text).toMatch(/may have been charged/);
  mock.clearFaults();
  const failed = await callTool(client, 'generate_image', storm);
  expect(failed.text).toContain('it was refunded');
  expect(failed.text).toContain('$0.02 of $0.02 is left');
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  const refused = await callTool(client, 'generate_image', { ...harbor, again: 1 });
  expect(refused).toMatchObject({ isError: true });
  expect(mock.invoice.map(({ kind }) => kind)).toEqual(['charge', 'refund', 'charge']);
});

test('a lost task that another server has found is settled, and its refund returns to the budget', async () => {
  const setup = await setUpStorms();
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '0.02']);
  const other = await connect(setup);
  mock.fail({ route, reset: 'after' });
  await callTool(client, 'generate_image', storm);
  mock.clearFaults();
  await callTool(other.client, 'generate_image', storm);
  const failed = await callTool(client, 'generate_image', storm);
  expect(failed.text).toContain('$0.02 of $0.02 is left ($0.02 charged, $0.02 refunded)');
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  expect(mock.invoice.map(({ kind }) => kind)).toEqual(['charge', 'refund', 'charge']);
});

test('a lost task that another server has found is charged to the budget once', async () => {
  const setup = await setUpStorms();
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '0.05']);
  const other = await connect(setup);
  mock.fail({ route, reset: 'after' });
  await callTool(client, 'generate_image', harbor);
  mock.clearFaults();
  await callTool(other.client, 'generate_image', harbor);
  const { text } = await callTool(client, 'get_task', { task_id: mock.tasks[0]!.id });
  expect(text).toContain('$0.03 of $0.05 is left ($0.02 charged)');
  expect(mock.invoice).toHaveLength(1);
});

test('a replay that reports no charge does not free what the lost request may have cost', async () => {
  const setup = await setUpStorms();
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '0.03']);
  mock.fail({ route, reset: 'after' });
  await callTool(client, 'generate_image', harbor);
  mock.clearFaults();
  mock.fail({ route, headers: { 'x-svc-charge-usd': '0' }, times: 1 });
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  const refused = await callTool(client, 'generate_image', { ...harbor, again: 1 });
  expect(refused).toMatchObject({ isError: true });
  expect(mock.invoice.map(({ usd }) => usd)).toEqual([0.02]);
});

test('a request of an earlier process that was never charged is paid for by the next one, with its refund', async () => {
  const setup = await setUpStorms();
  const { mock } = setup;
  const first = await connect(setup);
  mock.fail({ route, reset: 'before' });
  const lost = await callTool(first.client, 'generate_image', storm);
  expect(lost.text).toMatch(/may have been charged/);
  await first.client.close();
  mock.clearFaults();
  expect(mock.invoice).toEqual([]);

  const { client } = await connect(setup, ['--max-usd', '0.02']);
  const failed = await callTool(client, 'generate_image', storm);
  expect(failed.text).toMatch(/The service has not recognized the repetition/);
  expect(failed.text).toContain('$0.02 of $0.02 is left');
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  expect(mock.invoice.map(({ kind }) => kind)).toEqual(['charge', 'refund', 'charge']);
});

test('the refund of a task that an earlier process has paid for is not added to the budget', async () => {
  const setup = await setUpStorms();
  const { mock } = setup;
  const first = await connect(setup);
  mock.fail({ route, stallHeaders: true });
  callTool(first.client, 'generate_image', storm).catch(() => undefined);
  await eventually(() => expect(mock.invoice.length).toBeGreaterThan(0));
  await first.client.close();
  mock.clearFaults();

  const { client } = await connect(setup, ['--max-usd', '0.05']);
  const failed = await callTool(client, 'generate_image', storm);
  expect(failed.text).toContain('An earlier process has paid for it');
  expect(failed.text).not.toMatch(/balance to check|shows? refunds? of/);
  expect(mock.invoice.filter(({ kind }) => kind === 'charge')).toHaveLength(1);
});

test('the text of a failed task says about its refund what the quota of the key shows', async () => {
  const refunded = await setUpStorms();
  const kept = await setUpStorms({ A15: 'keep' });
  const [first, second] = [await connect(refunded), await connect(kept)];
  const [shown, hidden] = [
    await callTool(first.client, 'generate_image', storm),
    await callTool(second.client, 'generate_image', storm),
  ];
  expect(shown.text).toMatch(/was charged \$0\.02\. According to [^.]* it was refunded\./);
  expect(hidden.text).toMatch(/was charged \$0\.02\. [^.]* does not show a refund/);
  for (const { text } of [shown, hidden]) {
    expect(text).not.toMatch(/polygate balance|balance shows|idempotency key/);
    expect(text.split('\n').at(-1)).toMatch(/^To continue: .* argument again/);
  }
});

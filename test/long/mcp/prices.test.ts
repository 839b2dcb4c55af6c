import { expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { callTool, connect, setUp } from './support.ts';
import type { Setup } from './support.ts';

const harbor = { model: 'prism-image', prompt: 'A harbor' };

/** A gateway that charges $0.02 per image, and lists less. */
async function setUpLowPrices(options = {}): Promise<Setup> {
  const setup = await setUp(options);
  const { mock } = setup;
  const headers = { authorization: `Bearer ${mock.apiKey}` };
  const response = await mock.fetch(`${mock.baseURL}/v1/models/prism-image`, { headers });
  const record: Record<string, unknown> = await response.json();
  const body = { ...record, pricing: { unitPriceUsd: 0.01 } };
  mock.fail({ route: 'GET /v1/models/{model}', status: 200, body });
  mock.clearRecords();
  return setup;
}

const total = ({ mock }: Setup) => mock.invoice.reduce((sum, { usd }) => sum + usd, 0);

test('after a charge above the listed price, later calls reserve what was charged', async () => {
  const setup = await setUpLowPrices();
  const { client } = await connect(setup, ['--max-usd', '0.05']);
  for (const again of [1, 2]) {
    const { isError } = await callTool(client, 'generate_image', { ...harbor, again });
    expect(isError).toBe(false);
  }
  // The listed price would fit.
  const refused = await callTool(client, 'generate_image', { ...harbor, again: 3 });
  expect(refused).toMatchObject({ isError: true });
  expect(refused.text).toMatch(/costs about \$0\.02, because an earlier one[^]*\$0\.01 of \$0\.05/);
  expect(refused.text).toContain('Nothing was charged.');
  const estimate = await callTool(client, 'estimate', { kind: 'image', ...harbor });
  expect(estimate.text).toMatch(/price: \$0\.01\n.*\$0\.02 is reserved/);
  expect(total(setup)).toBe(0.04);
});

test('a charge per unit above the listed price applies to other numbers of units', async () => {
  const setup = await setUpLowPrices();
  const { client } = await connect(setup, ['--max-usd', '0.07']);
  expect(await callTool(client, 'generate_image', { ...harbor, n: 2 })).toMatchObject({
    isError: false,
  });
  expect(await callTool(client, 'generate_image', { ...harbor, n: 3 })).toMatchObject({
    isError: true,
  });
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  expect(total(setup)).toBe(0.06);
});

test('the limit of a call applies to what earlier calls were charged', async () => {
  const setup = await setUpLowPrices();
  const { client } = await connect(setup, ['--max-usd', '1', '--max-usd-per-call', '0.015']);
  await callTool(client, 'generate_image', harbor);
  const refused = await callTool(client, 'generate_image', { ...harbor, again: 1 });
  expect(refused).toMatchObject({ isError: true });
  expect(refused.text).toMatch(/costs about \$0\.02[^]*at most \$0\.015[^]*Nothing was charged/);
  expect(setup.mock.invoice).toHaveLength(1);
});

test('a call without a listed price is refused once such calls were charged more than their limit', async () => {
  const setup = await setUp();
  const { client } = await connect(setup, ['--max-usd', '1', '--max-usd-per-call', '0.01']);
  const sized = { ...harbor, size: '1024x1024' };
  await callTool(client, 'generate_image', sized);
  expect(await callTool(client, 'generate_image', { ...sized, again: 1 })).toMatchObject({
    isError: true,
    text: expect.stringContaining('at most $0.01'),
  });
  expect(setup.mock.invoice).toHaveLength(1);
});

test('calls in flight count with what finished ones were charged', async () => {
  const setup = await setUpLowPrices();
  const { mock } = setup;
  const { client } = await connect(setup, ['--max-usd', '0.06']);
  const route = 'POST /v1/images/tasks';
  mock.fail({ route, stallHeaders: true, times: 1 });
  callTool(client, 'generate_image', { ...harbor, again: 1 }).catch(() => undefined);
  await eventually(() => expect(mock.invoice).toHaveLength(1));
  await callTool(client, 'generate_image', { ...harbor, again: 2 });
  const { text } = await callTool(client, 'estimate', { kind: 'image', ...harbor });
  expect(text).toContain('$0.02 of $0.06 is left ($0.02 charged, $0.02 reserved');
  expect(total(setup)).toBe(0.04);
});

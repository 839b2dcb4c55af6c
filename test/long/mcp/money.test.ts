import { expect, test } from 'vitest';

import { callTool, connect, setUp } from './support.ts';

const harbor = { model: 'prism-image', prompt: 'A harbor' };

test('parallel calls together stay within the budget, and the others report what is left', async () => {
  const setup = await setUp({ latencyMs: 50, tasks: { durationMs: 300 } });
  const { client } = await connect(setup, ['--max-usd', '0.1']);
  const prompts = Array.from({ length: 12 }, (_, number) => ({
    ...harbor,
    prompt: `Harbor ${number}`,
  }));
  const replies = await Promise.all(
    prompts.map((args) => callTool(client, 'generate_image', args)),
  );
  const refused = replies.filter(({ isError }) => isError);
  expect(setup.mock.invoice.map(({ usd }) => usd)).toEqual([0.02, 0.02, 0.02, 0.02, 0.02]);
  expect(refused).toHaveLength(7);
  for (const { text } of refused) {
    expect(text).toMatch(/\$0\.\d\d of \$0\.10 is left/);
    expect(text).toContain('Nothing was charged.');
  }
});

test('an image of which a part would not fit is not sent', async () => {
  const setup = await setUp();
  const { client } = await connect(setup, ['--max-usd', '0.05']);
  const { isError, text } = await callTool(client, 'generate_image', { ...harbor, n: 3 });
  expect({ isError, invoice: setup.mock.invoice }).toEqual({ isError: true, invoice: [] });
  expect(text).toContain('$0.05 of $0.05 is left');
});

test('a refund returns to the budget', async () => {
  const setup = await setUp({
    tasks: {
      durationMs: 0,
      outcome: ({ prompt }) => (prompt === 'A storm' ? 'failed' : 'succeeded'),
    },
  });
  const { client } = await connect(setup, ['--max-usd', '0.02']);
  const failed = await callTool(client, 'generate_image', { ...harbor, prompt: 'A storm' });
  expect(failed).toMatchObject({
    isError: true,
    text: expect.stringContaining('$0.02 of $0.02 is left'),
  });
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  const refused = await callTool(client, 'generate_image', { ...harbor, prompt: 'A pier' });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('$0.00 of $0.02') });
  expect(setup.mock.invoice.map(({ kind }) => kind)).toEqual(['charge', 'refund', 'charge']);
});

test('a failed task that is not refunded stays in the budget', async () => {
  const setup = await setUp({
    tasks: { durationMs: 0, outcome: 'failed' },
    assumptions: { A15: 'keep' },
  });
  const { client } = await connect(setup, ['--max-usd', '0.02']);
  const failed = await callTool(client, 'generate_image', harbor);
  expect(failed.text).toContain('$0.00 of $0.02 is left');
  expect(failed.text).toMatch(/failed task was charged \$0\.02/);
  const refused = await callTool(client, 'generate_image', { ...harbor, again: 1 });
  expect(refused).toMatchObject({ isError: true });
  expect(setup.mock.invoice).toHaveLength(1);
});

test('a model without a usable price is refused, unless a call has a limit, which is reserved', async () => {
  const setup = await setUp();
  const sized = { ...harbor, size: '1024x1024' };
  const strict = await connect(setup, ['--max-usd', '1']);
  const refused = await callTool(strict.client, 'generate_image', sized);
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringContaining('--max-usd-per-call'),
  });
  expect(refused.text).toContain('Nothing was charged.');
  // Music of a model that is billed by character.
  const speech = { model: 'echo-speech', prompt: 'A calm harbor' };
  expect(await callTool(strict.client, 'generate_music', speech)).toMatchObject({ isError: true });
  expect(setup.mock.invoice).toEqual([]);

  const lenient = await connect(setup, ['--max-usd', '1', '--max-usd-per-call', '0.6']);
  const replies = await Promise.all(
    [1, 2].map((again) => callTool(lenient.client, 'generate_image', { ...sized, again })),
  );
  // Both may cost 0.60, so that only one fits until its charge is known.
  expect(replies.filter(({ isError }) => isError)).toHaveLength(1);
  expect(await callTool(lenient.client, 'generate_image', { ...sized, again: 3 })).toMatchObject({
    isError: false,
  });
});

test('limits of a call and of models are enforced before anything is sent', async () => {
  const setup = await setUp();
  const { client } = await connect(setup, [
    '--max-usd=2',
    '--max-usd-per-call=0.03',
    '--allow-model=prism-image',
    '--allow-model=tide-video',
  ]);
  const { text } = await callTool(client, 'list_models');
  expect(text.split('\n').map((line) => line.split(' ')[0])).toEqual(['prism-image', 'tide-video']);
  const other = await callTool(client, 'generate_image', { ...harbor, model: 'prism-sketch' });
  const many = await callTool(client, 'generate_image', { ...harbor, n: 2 });
  expect([other, many]).toMatchObject([{ isError: true }, { isError: true }]);
  expect(other.text).toMatch(/prism-image, tide-video only[^]*Nothing was charged/);
  expect(many.text).toMatch(/at most \$0\.03[^]*Nothing was charged/);
  expect(await callTool(client, 'generate_image', harbor)).toMatchObject({ isError: false });
  expect(setup.mock.invoice).toHaveLength(1);
});

test('without a limit, paid tools are neither listed nor callable', async () => {
  const setup = await setUp();
  const { client } = await connect(setup, []);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    'balance',
    'estimate',
    'get_task',
    'list_models',
    'list_tasks',
    'list_voices',
  ]);
  await expect(callTool(client, 'generate_image', harbor)).rejects.toThrow('generate_image');
  expect(setup.mock.invoice).toEqual([]);
});

test('errors say whether something was charged, and never contain the API key', async () => {
  const setup = await setUp({ wallet: { usd: 0.03 } });
  const { mock } = setup;
  const { client, stderr } = await connect(setup);
  const invalid = await callTool(client, 'generate_image', { ...harbor, extra: 1 });
  mock.fail({
    route: 'POST /v1/images/tasks',
    status: 400,
    times: 1,
    body: { error: { message: `key ${mock.apiKey}` } },
  });
  const rejected = await callTool(client, 'generate_image', harbor);
  mock.fail({ route: 'POST /v1/images/tasks', reset: 'after' });
  const lost = await callTool(client, 'generate_image', { ...harbor, prompt: 'A pier' });
  mock.clearFaults();
  const poor = await callTool(client, 'generate_image', harbor);
  const replies = [invalid, rejected, lost, poor];
  expect(replies.map(({ isError }) => isError)).toEqual([true, true, true, true]);
  expect(invalid.text).toContain('Nothing was charged.');
  expect(rejected.text).toMatch(/othing was charged/);
  expect(lost.text).toMatch(/may have been charged/);
  expect(poor.text).toMatch(/othing was charged/);
  // The same call after the lost response: the same task.
  const found = await callTool(client, 'generate_image', { ...harbor, prompt: 'A pier' });
  expect(found).toMatchObject({ isError: false });
  expect(mock.invoice).toHaveLength(1);
  const texts = [...replies, found].map(({ text }) => text).join('\n') + stderr();
  expect(texts).not.toContain(mock.apiKey);
});

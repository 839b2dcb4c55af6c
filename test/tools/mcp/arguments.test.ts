import { expect, test } from 'vitest';

import { callTool, connect, setUp } from '../../long/mcp/support.ts';

const image = { kind: 'image', model: 'prism-image', prompt: 'A harbor' };

test('every tool refuses an argument that it does not have, and names the one that was meant', async () => {
  const setup = await setUp();
  const { client } = await connect(setup);
  const { kind: _, ...body } = image;
  const calls: [string, Record<string, unknown>, string][] = [
    [
      'generate_image',
      { ...body, resolutoin: '4K' },
      'resolutoin: unknown field. Did you mean resolution?',
    ],
    [
      'estimate',
      { ...image, resolutoin: '4K' },
      'resolutoin: unknown field. Did you mean resolution?',
    ],
    ['estimate', { ...image, duration: 5 }, 'duration: unknown field.'],
    ['list_models', { typ: 'image' }, 'typ: unknown field. Did you mean type?'],
    [
      'get_task',
      { task_id: 'task_1', taskid: 'task_2' },
      'taskid: unknown field. Did you mean task_id?',
    ],
    ['list_tasks', { all: true }, 'all: unknown field.'],
    ['balance', { currency: 'EUR' }, 'currency: unknown field.'],
  ];
  for (const [tool, args, problem] of calls) {
    const { text, isError } = await callTool(client, tool, args);
    expect([tool, isError]).toEqual([tool, true]);
    expect(text).toContain(problem);
    expect(text).toContain('Nothing was charged.');
  }
  expect(setup.mock.requests).toEqual([]);
});

test('the input schema of every tool says that it has no other arguments', async () => {
  const { client } = await connect(await setUp());
  const { tools } = await client.listTools();
  const open = tools.filter(({ inputSchema }) => inputSchema.additionalProperties !== false);
  expect(open.map(({ name }) => name)).toEqual([]);
});

test('estimate takes the arguments of a generation, and quotes their price', async () => {
  const { client } = await connect(await setUp());
  const { text } = await callTool(client, 'estimate', { ...image, resolution: '4K', again: 2 });
  expect(text).toContain('Estimated price: $0.08');
});

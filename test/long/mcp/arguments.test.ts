import { expect, test } from 'vitest';

import { callTool, connect, setUp } from './support.ts';

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

/** Keywords that every client and model accepts. */
const keywords = [
  'type',
  'description',
  'properties',
  'required',
  'items',
  'enum',
  'additionalProperties',
  'minLength',
  'minimum',
  'maximum',
];

/** What some client would reject or not understand in a schema and the schemas in it. */
function problemsOf(schema: Record<string, any>, path: string): string[] {
  const { type, description, properties = {}, items, enum: values = [] } = schema;
  const { additionalProperties = false, required = [] } = schema;
  const isField = !path.endsWith(']') && path.includes('.');
  return [
    ...Object.keys(schema).filter((keyword) => !keywords.includes(keyword)),
    ...(typeof type === 'string' ? [] : ['no type']),
    ...(isField && !/[.)]$/.test(description ?? '') ? ['no description'] : []),
    ...(type === 'array' && items === undefined ? ['no items'] : []),
    ...(values.some((value: unknown) => typeof value !== 'string') ? ['enum not of texts'] : []),
    ...(additionalProperties === false ? [] : ['additionalProperties is not false']),
    ...required.filter((name: string) => !(name in properties)),
  ]
    .map((problem) => `${path}: ${problem}`)
    .concat(
      Object.entries<any>(properties).flatMap(([name, field]) =>
        problemsOf(field, `${path}.${name}`),
      ),
      items === undefined ? [] : problemsOf(items, `${path}[]`),
    );
}

test('the input schemas of all tools have only keywords that every client accepts, and describe every field', async () => {
  const { client } = await connect(await setUp());
  const { tools } = await client.listTools();
  const problems = tools.flatMap(({ name, inputSchema }) => problemsOf(inputSchema, name));
  expect(problems).toEqual([]);
  expect(tools.map(({ name }) => name)).toHaveLength(10);
});

test('the fields of all kinds of a list item are in one object, and a video with them is accepted', async () => {
  const { client } = await connect(await setUp());
  const { tools } = await client.listTools();
  const video: any = tools.find(({ name }) => name === 'generate_video')?.inputSchema.properties;
  expect(Object.keys(video.content.items.properties)).toEqual([
    'type',
    'text',
    'image_url',
    'role',
    'video_url',
    'audio_url',
  ]);
  expect(video.content.items.properties.type.enum).toEqual([
    'text',
    'image_url',
    'video_url',
    'audio_url',
  ]);
  const image_url = { url: 'https://example.com/harbor.png' };
  const content = [
    { type: 'text', text: 'Slow zoom' },
    { type: 'image_url', image_url, role: 'first_frame' },
  ];
  const args = { model: 'tide-video', content, duration: 5 };
  expect((await callTool(client, 'generate_video', args)).text).toContain('Price: $0.10');
  // Without the schema, the server still says what is wrong.
  const wrong = { ...args, content: [{ type: 'text', image_url }] };
  expect((await callTool(client, 'generate_video', wrong)).text).toContain('image_url');
});

test.each([
  [{ model: 'prism-image', n: 2 }, '$0.04'],
  [{ model: 'tide-video', duration: 5 }, '$0.10'],
  [{ model: 'echo-speech', text: 'A harbor' }, '$0.00'],
  [{ model: 'anthem-music', prompt: 'A harbor' }, '$0.03'],
])('estimate takes the kind of %j from the model', async (args, price) => {
  const { client } = await connect(await setUp());
  const { text } = await callTool(client, 'estimate', args);
  expect(text).toContain(`Estimated price: ${price}`);
});

test('estimate needs the kind if the model does not determine it', async () => {
  const model = { id: 'hum', owner: 'echo', type: 'audio', unit: 'beat', unitPrice: 0.03 } as never;
  const { client } = await connect(await setUp({ models: [model] }));
  const { text } = await callTool(client, 'estimate', { model: 'hum', prompt: 'A harbor' });
  expect(text).toContain('kind: is required, because the service does not say what hum generates');
});

test.each([
  ['estimate', { model: 'prism-imge' }, []],
  ['generate_image', { model: 'prism-imge', prompt: 'A harbor' }, []],
  ['generate_image', { model: 'prism-image', prompt: 'A harbor' }, ['--allow-model', 'x']],
])('after a model that %s cannot use, the advice is list_models', async (tool, args, options) => {
  const { client } = await connect(await setUp(), ['--max-usd', '2', ...options]);
  const { text, isError } = await callTool(client, tool, args);
  expect(isError).toBe(true);
  expect(text.split('\n').at(-1)).toBe(
    'To continue: call list_models, and repeat the call with a model that it lists',
  );
});

test('estimate takes the arguments of a generation, and quotes their price', async () => {
  const { client } = await connect(await setUp());
  const { text } = await callTool(client, 'estimate', { ...image, resolution: '4K', again: 2 });
  expect(text).toContain('Estimated price: $0.08');
});

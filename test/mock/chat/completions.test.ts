import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, chat, eventsOf } from '../caller.ts';

const mock = createMockGateway({ clock: 'virtual' });
const caller = callerOf(mock);
const path = '/v1/chat/completions';
const say = (content: unknown) => [{ role: 'user', content }];
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer', minimum: 2 },
        unit: { enum: ['celsius', 'kelvin'] },
      },
    },
  },
};
const schema = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 3 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
    score: { type: 'number', minimum: 5, maximum: 9 },
    nested: { $ref: '#/$defs/node' },
    maybe: { anyOf: [{ type: 'null' }, { type: 'string' }] },
  },
  $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
};

const requests: [string, Record<string, unknown>][] = [
  ['text', chat],
  ['several choices', { ...chat, n: 3 }],
  ['a long prompt', { ...chat, messages: say('word '.repeat(5000)) }],
  ['emoji and line breaks', { ...chat, messages: say('👋🏽\n\n日本語 “quoted” \u2028 end') }],
  ['a token limit', { ...chat, max_tokens: 4 }],
  ['a stop sequence', { ...chat, stop: ['there'] }],
  ['reasoning by model', { ...chat, model: 'aurora-reasoner' }],
  ['reasoning by effort', { ...chat, reasoning_effort: 'low', max_completion_tokens: 3 }],
  [
    'a tool that the prompt mentions',
    { ...chat, messages: say('The weather in Paris?'), tools: [weather] },
  ],
  ['a required tool', { ...chat, tools: [weather], tool_choice: 'required' }],
  ['a JSON object', { ...chat, response_format: { type: 'json_object' } }],
  [
    'JSON that matches a schema',
    { ...chat, response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
  ],
  ['an image', { ...chat, extra_body: { image_config: { aspect_ratio: '1:1' } } }],
  [
    'an image from an image model',
    { ...chat, model: 'prism-image', extra_body: { image_config: {} } },
  ],
  [
    'content parts',
    {
      ...chat,
      messages: say([
        { type: 'text', text: 'one' },
        { type: 'image_url', image_url: { url: 'https://x/y' } },
      ]),
    },
  ],
];

/** Assembles the chunks of a stream into a completion, as a client does. */
function assemble(events: string[]) {
  expect(events.at(-1)).toBe('[DONE]');
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
  const choices: any[] = [];
  for (const chunk of chunks) {
    for (const { index, delta, finish_reason: finish, logprobs } of chunk.choices) {
      choices[index] ??= {
        index,
        message: { role: undefined, content: null, refusal: null },
        logprobs,
        finish_reason: null,
      };
      const { message } = choices[index];
      if (delta.role !== undefined) message.role = delta.role;
      for (const field of ['content', 'reasoning_content']) {
        if (typeof delta[field] === 'string')
          message[field] = (message[field] ?? '') + delta[field];
      }
      if (delta.images !== undefined) message.images = delta.images;
      for (const { index: position, ...call } of delta.tool_calls ?? []) {
        message.tool_calls ??= [];
        message.tool_calls[position] ??= {
          ...call,
          function: { name: call.function.name, arguments: '' },
        };
        message.tool_calls[position].function.arguments += call.function.arguments;
      }
      if (finish !== null) choices[index].finish_reason = finish;
    }
  }
  const { choices: _, usage: __, object, ...head } = chunks[0];
  expect(object).toBe('chat.completion.chunk');
  expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  expect(chunks.at(-1).choices).toEqual([]);
  return { ...head, object: 'chat.completion', choices, usage: chunks.at(-1).usage };
}

test.each(requests)(
  'a streamed completion is the same as an unstreamed one: %s',
  async (_name, body) => {
    const completion = await caller.submit(path, body);
    const stream = { ...body, stream: true, stream_options: { include_usage: true } };
    const response = await caller.post(path, stream);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(assemble(await eventsOf(response))).toEqual(completion);
    expect(completion.system_fingerprint).toEqual(expect.any(String));
    const { usage } = completion;
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
  },
);

test('a completion quotes the prompt, and is the same for the same seed', async () => {
  const { choices } = await caller.submit(path, chat);
  expect(choices[0].message.content).toContain('Hello there');
  expect(choices[0].finish_reason).toBe('stop');
  const twin = callerOf(createMockGateway({ clock: 'virtual' }));
  expect((await twin.submit(path, chat)).choices).toEqual(choices);
  const three = await caller.submit(path, { ...chat, n: 3 });
  expect(three.choices.map((choice: { index: number }) => choice.index)).toEqual([0, 1, 2]);
});

test('a stream reports usage only on request, and starts with a keep-alive comment', async () => {
  const response = await caller.post(path, { ...chat, stream: true });
  const text = await response.text();
  expect(text).toMatch(/^: /);
  expect(text).not.toContain('"usage"');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test('a completion ends at its token limit or at a stop sequence', async () => {
  const short = await caller.submit(path, { ...chat, max_tokens: 2 });
  expect(short.choices[0]).toMatchObject({
    message: { content: 'You said:' },
    finish_reason: 'length',
  });
  expect(short.usage.completion_tokens).toBe(2);
  const stopped = await caller.submit(path, { ...chat, stop: ' there' });
  expect(stopped.choices[0]).toMatchObject({
    message: { content: 'You said: Hello' },
    finish_reason: 'stop',
  });
});

test('a tool is called with valid arguments, and its result ends the tool calls', async () => {
  const messages = say('What is the weather in Paris?');
  const { choices } = await caller.submit(path, { ...chat, messages, tools: [weather] });
  expect(choices[0]).toMatchObject({ message: { content: null }, finish_reason: 'tool_calls' });
  const [call] = choices[0].message.tool_calls;
  expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Paris', days: 2, unit: 'celsius' });
  const tool = { role: 'tool', tool_call_id: call.id, content: '21 degrees' };
  const next = await caller.submit(path, {
    ...chat,
    messages: [...messages, choices[0].message, tool],
    tools: [weather],
  });
  expect(next.choices[0].message.content).toContain('21 degrees');
});

test.each([
  ['none', 'Use get_weather', 0],
  ['auto', 'Use get_weather', 1],
  ['auto', 'Hello', 0],
  ['required', 'Hello', 1],
  [{ type: 'function', function: { name: 'get_weather' } }, 'Hello', 1],
])('with tool_choice %j, the prompt %j leads to %i tool calls', async (choice, prompt, count) => {
  const body = { ...chat, messages: say(prompt), tools: [weather], tool_choice: choice };
  const { choices } = await caller.submit(path, body);
  expect(choices[0].message.tool_calls ?? []).toHaveLength(count);
});

test('a JSON schema leads to JSON that matches it', async () => {
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
  const { choices } = await caller.submit(path, { ...chat, response_format });
  const value = JSON.parse(choices[0].message.content);
  expect(value.title.length).toBeGreaterThanOrEqual(3);
  expect(value.tags).toHaveLength(2);
  expect(value.score).toBe(5);
  expect(value.maybe).toBeNull();
});

test('a chat returns images as data URLs', async () => {
  const body = { ...chat, model: 'lumen/vision-chat', extra_body: { image_config: {} } };
  const { choices } = await caller.submit(path, body);
  const [image] = choices[0].message.images;
  expect(await (await fetch(image.image_url.url)).text()).toContain('PNG');

  const withSvg = callerOf(createMockGateway({ imageFormat: 'svg' }));
  const { choices: drawn } = await withSvg.submit(path, body);
  const svg = await (await fetch(drawn[0].message.images[0].image_url.url)).text();
  expect(svg).toContain('Hello there');
});

test('an idempotency key prevents a second charge for chat only if A11 is set to replay', async () => {
  const headers = { 'x-idempotency-key': 'k' };
  for (const [A11, lines] of [
    ['charge', 2],
    ['replay', 1],
  ] as const) {
    const gateway = createMockGateway({ assumptions: { A11 } });
    const own = callerOf(gateway);
    const first = await own.submit(path, chat, headers);
    expect((await own.submit(path, chat, headers)).choices).toEqual(first.choices);
    expect(gateway.invoice).toHaveLength(lines);
  }
});

test('with A11 set to replay, requests without a key are not replays of each other', async () => {
  const gateway = createMockGateway({ assumptions: { A11: 'replay' } });
  const own = callerOf(gateway);
  await own.submit(path, chat, { 'x-idempotency-key': 'undefined' });
  const response = await own.post(path, chat);
  expect(response.headers.get('x-svc-idempotent-replay')).toBeNull();
  expect(gateway.invoice).toHaveLength(2);
});

test('with A11 set to replay, A13 decides whether another body is a replay or a conflict', async () => {
  const headers = { 'x-idempotency-key': 'k' };
  const other = { ...chat, messages: [{ role: 'user', content: 'Something else' }] };
  for (const [A13, status] of [
    ['replay', 200],
    ['conflict', 409],
  ] as const) {
    const gateway = createMockGateway({ assumptions: { A11: 'replay', A13 } });
    const own = callerOf(gateway);
    const first = await own.submit(path, chat, headers);
    const response = await own.post(path, other, headers);
    expect(response.status).toBe(status);
    if (status === 200) expect(await response.json()).toEqual(first);
    expect(gateway.invoice).toHaveLength(1);
  }
});

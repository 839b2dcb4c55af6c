import { describe, expect, test } from 'vitest';

import {
  AuthenticationError,
  ConfigurationError,
  ResponseValidationError,
  Stream,
} from '../../src/index.ts';
import type { ChatCompletion, ChatParams } from '../../src/index.ts';
import { onMock } from '../core/support.ts';
import {
  streamingFetch,
  clientOf,
  contents,
  doneEvent,
  params,
  textEvent,
} from '../support/event-stream.ts';
import { rejection } from '../support/rejection.ts';

const route = 'POST /v1/chat/completions';
const chatParams = {
  model: 'aurora-chat',
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
} satisfies ChatParams;

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** A client of a service that answers with this text. */
function clientRespondingWith(text: string, type = 'application/json') {
  let hits = 0;
  const headers = { 'content-type': type, 'x-request-id': 'req-1', 'x-svc-charge-usd': '0.5' };
  const gateway = clientOf(
    async () => {
      hits += 1;
      return new Response(text, { headers });
    },
    { maxRetries: 3 },
  );
  return { gateway, hits: () => hits };
}

describe('create() resolves to the completion', () => {
  test('with what its headers tell beside it', async () => {
    const { gateway, mock } = onMock();
    const { data, response, meta } = await gateway.chat.completions
      .create(chatParams)
      .withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'aurora-chat',
      choices: [{ index: 0, message: { role: 'assistant' }, finish_reason: 'stop' }],
    });
    expect(data.choices[0]?.message.content).toContain('the weather in Paris');
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    expect(response.status).toBe(200);
    expect(meta).toMatchObject({
      status: 200,
      requestId: mock.requests[0]?.requestId,
      chargeUsd: mock.invoice[0]?.usd,
      wallet: 'unified',
      idempotentReplay: false,
      concurrency: { limit: 8, source: 'tier_enterprise' },
    });
    expect(gateway.spend.totalUsd).toBe(mock.invoice[0]?.usd);
  });

  test('exactly as it was sent, fields that nobody documents included', async () => {
    const message = { role: 'assistant', content: 'Hi', refusal: null, annotations: [1] };
    const completion = {
      id: 'c-1',
      provider: { name: 'p' },
      choices: [{ index: 0, message, finish_reason: 'stop', native_finish_reason: 'STOP' }],
      usage: null,
    };
    const { gateway } = clientRespondingWith(JSON.stringify(completion));
    await expect(gateway.chat.completions.create(params)).resolves.toEqual(completion);
  });

  test('or, with asResponse(), to the answer with its body unread', async () => {
    const { gateway, mock } = onMock();
    const response = await gateway.chat.completions.create(chatParams).asResponse();
    expect(response.bodyUsed).toBe(false);
    expect(await response.json()).toMatchObject({ object: 'chat.completion' });
    expect(mock.requests).toHaveLength(1);
  });

  test.each([
    ['HTML', '<html>Hello</html>', 'text/html'],
    ['an empty body', '', 'application/json'],
    ['JSON that breaks off', '{"id":"c-1","choi', 'application/json'],
    ['no completion', '{"hello":"world"}', 'application/json'],
    ['null', 'null', 'application/json'],
    ['an event stream', textEvent('Hi') + doneEvent, 'text/event-stream'],
  ])('and to nothing when %s comes; it is not asked again', async (_, text, type) => {
    const { gateway, hits } = clientRespondingWith(text, type);
    const error = await rejection(ResponseValidationError, gateway.chat.completions.create(params));
    expect(error).toMatchObject({ outcome: 'unknown', meta: { status: 200, chargeUsd: 0.5 } });
    expect(hits()).toBe(1);
  });

  test('and rejects when the service breaks, without asking again', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route, status: 500 });
    await expect(gateway.chat.completions.create(chatParams)).rejects.toMatchObject({
      status: 500,
    });
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.requests).toHaveLength(1);
  });
});

describe('create({ stream: true }) resolves to a stream', () => {
  test('of the chunks, once its headers are there', async () => {
    const { gateway, mock } = onMock();
    const stream = await gateway.chat.completions.create({ ...chatParams, stream: true });
    expect(stream).toBeInstanceOf(Stream);
    expect(stream.meta).toMatchObject({ status: 200, requestId: mock.requests[0]?.requestId });
    const words: string[] = [];
    for await (const { object, model, choices } of stream) {
      expect({ object, model }).toEqual({ object: 'chat.completion.chunk', model: 'aurora-chat' });
      words.push(choices[0]?.delta.content ?? '');
    }
    const whole = await gateway.chat.completions.create(chatParams);
    expect(words.length).toBeGreaterThan(3);
    expect(words.join('')).toBe(whole.choices[0]?.message.content);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('with the answer and its metadata beside it', async () => {
    const { gateway, mock } = onMock();
    const promise = gateway.chat.completions.create({ ...chatParams, stream: true });
    const { data, response, meta } = await promise.withResponse();
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(meta.chargeUsd).toBe(mock.invoice[0]?.usd);
    expect((await contents(data)).join('')).toContain('Paris');
  });

  test('or, with asResponse(), to the bytes', async () => {
    const { gateway, mock } = onMock();
    const promise = gateway.chat.completions.create({ ...chatParams, stream: true });
    const text = await (await promise.asResponse()).text();
    expect(text).toMatch(/^data: \{.*"chat\.completion\.chunk"/m);
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(mock.requests).toHaveLength(1);
  });

  test('that can be read once, and says so', async () => {
    const stream = await clientOf(
      streamingFetch([textEvent('a'), doneEvent]),
    ).chat.completions.create({
      ...params,
      stream: true,
    });
    expect(await contents(stream)).toEqual(['a']);
    await expect(contents(stream)).rejects.toThrow(/once|already/);
  });

  test('and rejects when the service refuses', async () => {
    const { gateway } = onMock({}, { apiKey: 'sk-wrong' });
    const promise = gateway.chat.completions.create({ ...chatParams, stream: true });
    await expect(promise).rejects.toBeInstanceOf(AuthenticationError);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});

describe('params are sent exactly as given', () => {
  const rich = {
    ...chatParams,
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'mystery', weight: 7 },
        ],
      },
      { role: 'critic', content: null, score: 3 },
    ],
    extra_body: { image_config: { aspect_ratio: '16:9', seed: 3 }, provider: { order: ['a'] } },
    max_tokens: 50,
    temperature: 0,
    user: '',
    made_up_by_the_user: { nested: [null, true, { deep: 1 }] },
  } satisfies ChatParams;

  test('unknown fields and extra_body included, and nothing is added', async () => {
    const { gateway, mock } = onMock();
    await gateway.chat.completions.create(rich);
    expect(mock.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(mock.requests[0]?.body).toEqual(rich);
    expect(mock.requests[0]?.bodyText).toBe(JSON.stringify(rich));
  });

  test('with stream: true by stream() and create(), and nothing else', async () => {
    const { gateway, mock } = onMock();
    await gateway.chat.completions.stream(rich).final();
    await contents(await gateway.chat.completions.create({ ...rich, stream: true }));
    expect(mock.requests.map(({ body }) => body)).toEqual([
      { ...rich, stream: true },
      { ...rich, stream: true },
    ]);
  });

  test('and are not changed', async () => {
    const { gateway } = onMock();
    const frozen = Object.freeze({ ...chatParams });
    await gateway.chat.completions.create(frozen);
    await gateway.chat.completions.stream(frozen).final();
    expect(frozen).toEqual(chatParams);
  });

  test('with an idempotency key only when the caller gives one', async () => {
    const { gateway, mock } = onMock();
    await gateway.chat.completions.create(chatParams);
    await gateway.chat.completions.stream(chatParams).final();
    await gateway.chat.completions.create(chatParams, { idempotencyKey: 'row-1' });
    await gateway.chat.completions.stream(chatParams, { idempotencyKey: 'row-2' }).final();
    const keys = mock.requests.map(({ headers }) => headers['x-idempotency-key']);
    expect(keys).toEqual([undefined, undefined, 'row-1', 'row-2']);
    for (const { headers } of mock.requests) expect(headers).not.toHaveProperty('idempotency-key');
  });

  test('or not at all when they cannot be right', async () => {
    const { gateway, mock } = onMock();
    const bad: unknown[] = [
      undefined,
      null,
      'hello',
      { messages: chatParams.messages },
      { ...chatParams, model: '' },
      { ...chatParams, model: 7 },
      { model: 'aurora-chat' },
      { ...chatParams, messages: 'Hi' },
    ];
    for (const given of bad) {
      // What a caller without types may pass.
      const untyped = given as ChatParams;
      const { completions } = gateway.chat;
      await expect(completions.create(untyped)).rejects.toBeInstanceOf(ConfigurationError);
      await expect(completions.stream(untyped).final()).rejects.toBeInstanceOf(ConfigurationError);
    }
    const badKey = gateway.chat.completions.create(chatParams, { idempotencyKey: 'a b' });
    await expect(badKey).rejects.toBeInstanceOf(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });
});

describe('streamed and unstreamed, the same conversation has the same completion', () => {
  const conversations: Record<string, Partial<ChatParams>> = {
    'of words': {},
    'of two choices': { n: 2 },
    'of a tool call': { tools: [weather], tool_choice: 'required' },
    'of two choices with tool calls': { n: 2, tools: [weather], tool_choice: 'required' },
    'of thoughts and words': { model: 'aurora-reasoner' },
    'of an image': {
      model: 'lumen/vision-chat',
      extra_body: { image_config: { aspect_ratio: '1:1' } },
    },
    'that is cut short': { max_tokens: 2 },
    'in JSON': { response_format: { type: 'json_object' } },
  };
  const told: Record<string, (completion: ChatCompletion) => unknown> = {
    'of two choices': ({ choices }) => choices[1]?.message.content,
    'of a tool call': ({ choices }) => choices[0]?.message.tool_calls?.[0]?.function.arguments,
    'of thoughts and words': ({ choices }) => choices[0]?.message.reasoning_content,
    'of an image': ({ choices }) => choices[0]?.message.images?.[0]?.image_url.url,
  };

  test.each(Object.entries(conversations))('%s', async (name, fields) => {
    const { gateway } = onMock();
    const request = { ...chatParams, ...fields };
    const whole = await gateway.chat.completions.create({ ...request, stream: false });
    const stream_options = { include_usage: true };
    const streamed = await gateway.chat.completions.stream({ ...request, stream_options }).final();
    const apart = { id: '', created: 0 };
    expect({ ...streamed, ...apart }).toEqual({ ...whole, ...apart });
    expect(told[name]?.(streamed) ?? 'words').toMatch(/./);
  });
});

import { describe, expect, test } from 'vitest';

import {
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ResponseValidationError,
  Stream,
} from '../../src/index.ts';
import type { ChatCompletion, ChatMessage, ChatParams } from '../../src/index.ts';
import { onMock } from '../client/support.ts';
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
  messages: [{ role: 'user' as const, content: 'What is the weather in Paris?' }],
} satisfies ChatParams;

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** A client whose service responds with this text, and the number of its requests. */
function clientRespondingWith(text: string, type = 'application/json') {
  let requestCount = 0;
  const headers = { 'content-type': type, 'x-request-id': 'req-1', 'x-svc-charge-usd': '0.5' };
  const gateway = clientOf(
    async () => {
      requestCount += 1;
      return new Response(text, { headers });
    },
    { maxRetries: 3 },
  );
  return { gateway, requestCount: () => requestCount };
}

describe('create() resolves to the completion', () => {
  test('with the metadata from its headers', async () => {
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

  test('exactly as it was sent, including undocumented fields', async () => {
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

  test('or, with asResponse(), to the response with its body unread', async () => {
    const { gateway, mock } = onMock();
    const response = await gateway.chat.completions.create(chatParams).asResponse();
    expect(response.bodyUsed).toBe(false);
    expect(await response.json()).toMatchObject({ object: 'chat.completion' });
    expect(mock.requests).toHaveLength(1);
  });

  test.each([
    ['HTML', '<html>Hello</html>', 'text/html'],
    ['an empty body', '', 'application/json'],
    ['truncated JSON', '{"id":"c-1","choi', 'application/json'],
    ['a different object', '{"hello":"world"}', 'application/json'],
    ['null', 'null', 'application/json'],
  ])('unless the response is %s: then it rejects without a retry', async (_, text, type) => {
    const { gateway, requestCount } = clientRespondingWith(text, type);
    const error = await rejection(ResponseValidationError, gateway.chat.completions.create(params));
    expect(error).toMatchObject({ outcome: 'unknown', meta: { status: 200, chargeUsd: 0.5 } });
    expect(requestCount()).toBe(1);
  });

  test('unless the service fails: then it rejects without a retry', async () => {
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
  test('of the chunks, once the headers arrive', async () => {
    const { gateway, mock } = onMock();
    const stream = await gateway.chat.completions.create({ ...chatParams, stream: true });
    expect(stream).toBeInstanceOf(Stream);
    expect(stream.meta).toMatchObject({ status: 200, requestId: mock.requests[0]?.requestId });
    const texts: string[] = [];
    for await (const { object, model, choices } of stream) {
      expect({ object, model }).toEqual({ object: 'chat.completion.chunk', model: 'aurora-chat' });
      texts.push(choices[0]?.delta.content ?? '');
    }
    const completion = await gateway.chat.completions.create(chatParams);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.join('')).toBe(completion.choices[0]?.message.content);
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('with the response and its metadata in withResponse()', async () => {
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

  test('that can be read once; reading it again throws an error that says so', async () => {
    const stream = await clientOf(
      streamingFetch([textEvent('a'), doneEvent]),
    ).chat.completions.create({
      ...params,
      stream: true,
    });
    expect(await contents(stream)).toEqual(['a']);
    await expect(contents(stream)).rejects.toThrow(/once|already/);
  });

  test('unless the service responds with an error', async () => {
    const { gateway } = onMock({}, { apiKey: 'sk-wrong' });
    const promise = gateway.chat.completions.create({ ...chatParams, stream: true });
    await expect(promise).rejects.toBeInstanceOf(AuthenticationError);
    expect(gateway.concurrency.inFlight).toBe(0);
  });
});

describe('params are sent exactly as given', () => {
  const unknownMessages: ChatMessage[] = JSON.parse(
    '[{"role":"user","content":[{"type":"mystery","weight":7}]},{"role":"critic","content":null,"score":3}]',
  );
  const unknownFields: object = { made_up_by_the_user: { nested: [null, true, { deep: 1 }] } };
  const rich = {
    ...chatParams,
    ...unknownFields,
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...unknownFields }] },
    ],
    extra_body: { image_config: { aspect_ratio: '16:9', seed: 3 }, provider: { order: ['a'] } },
    max_tokens: 50,
    temperature: 0,
    user: '',
  } satisfies ChatParams;

  test('including unknown fields and extra_body, and nothing is added', async () => {
    const { gateway, mock } = onMock();
    await gateway.chat.completions.create(rich);
    expect(mock.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(mock.requests[0]?.body).toEqual(rich);
    expect(mock.requests[0]?.bodyText).toBe(JSON.stringify(rich));
  });

  test('including roles and content parts that the service rejects', async () => {
    const { gateway, mock } = onMock();
    const messages = [...unknownMessages, ...rich.messages];
    await rejection(BadRequestError, gateway.chat.completions.create({ ...rich, messages }));
    expect(mock.requests[0]?.bodyText).toBe(JSON.stringify({ ...rich, messages }));
  });

  test('except that stream() and create() add stream: true', async () => {
    const { gateway, mock } = onMock();
    await gateway.chat.completions.stream(rich).final();
    await contents(await gateway.chat.completions.create({ ...rich, stream: true }));
    expect(mock.requests.map(({ body }) => body)).toEqual([
      { ...rich, stream: true },
      { ...rich, stream: true },
    ]);
  });

  test('and are not modified', async () => {
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

  test('or not at all if they are invalid', async () => {
    const { gateway, mock } = onMock();
    const invalid: unknown[] = [
      undefined,
      null,
      'hello',
      { messages: chatParams.messages },
      { ...chatParams, model: '' },
      { ...chatParams, model: 7 },
      { model: 'aurora-chat' },
      { ...chatParams, messages: 'Hi' },
    ];
    for (const value of invalid) {
      // A caller without type checking can pass these.
      const untyped = value as ChatParams;
      const { completions } = gateway.chat;
      await expect(completions.create(untyped)).rejects.toBeInstanceOf(ConfigurationError);
      await expect(completions.stream(untyped).final()).rejects.toBeInstanceOf(ConfigurationError);
    }
    const withInvalidKey = gateway.chat.completions.create(chatParams, { idempotencyKey: 'a b' });
    await expect(withInvalidKey).rejects.toBeInstanceOf(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });
});

describe('with and without streaming, the same request has the same completion', () => {
  const conversations: Record<string, Partial<ChatParams>> = {
    'with text': {},
    'with two choices': { n: 2 },
    'with a tool call': { tools: [weather], tool_choice: 'required' },
    'with tool calls in two choices': { n: 2, tools: [weather], tool_choice: 'required' },
    'with reasoning and text': { model: 'aurora-reasoner' },
    'with an image': {
      model: 'lumen/vision-chat',
      extra_body: { image_config: { aspect_ratio: '1:1' } },
    },
    'that is truncated by max_tokens': { max_tokens: 2 },
    'in JSON': { response_format: { type: 'json_object' } },
  };
  const specificContent: Record<string, (completion: ChatCompletion) => unknown> = {
    'with two choices': ({ choices }) => choices[1]?.message.content,
    'with a tool call': ({ choices }) => choices[0]?.message.tool_calls?.[0]?.function.arguments,
    'with reasoning and text': ({ choices }) => choices[0]?.message.reasoning_content,
    'with an image': ({ choices }) => choices[0]?.message.images?.[0]?.image_url.url,
  };

  test.each(Object.entries(conversations))('%s', async (name, fields) => {
    const { gateway } = onMock();
    const request = { ...chatParams, ...fields };
    const unstreamed = await gateway.chat.completions.create({ ...request, stream: false });
    const stream_options = { include_usage: true };
    const streamed = await gateway.chat.completions.stream({ ...request, stream_options }).final();
    const varying = { id: '', created: 0 };
    expect({ ...streamed, ...varying }).toEqual({ ...unstreamed, ...varying });
    expect(specificContent[name]?.(streamed) ?? 'any').toMatch(/./);
  });
});

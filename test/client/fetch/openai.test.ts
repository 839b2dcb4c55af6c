import OpenAI, {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from 'openai';
import { describe, expect, test } from 'vitest';

import { ConnectionError, StreamTruncatedError } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import type { Fault } from '../../../src/mock/index.ts';
import { caught, clientOf, drain, firstEvent, onMock, turns } from '../support.ts';

/** The openai package over a client of the reference gateway. */
function openaiOn(fault?: Fault, options: PolygateOptions = {}, maxRetries: number | null = 0) {
  const { mock, gateway } = onMock({}, options);
  if (fault) mock.fail(fault);
  const openai = new OpenAI({
    apiKey: 'unused',
    baseURL: `${gateway.baseURL}/v1`,
    fetch: gateway.fetch,
    ...(maxRetries !== null && { maxRetries }),
  });
  return { mock, gateway, openai };
}

/** The openai package over a client of a service with this response. */
function openaiOver(respond: () => Response) {
  const gateway = clientOf(async () => respond());
  const baseURL = `${gateway.baseURL}/v1`;
  return new OpenAI({ apiKey: 'unused', baseURL, fetch: gateway.fetch, maxRetries: 0 });
}

/** A response whose body begins with this text and never ends. */
const stalledBody = (type: string, text: string) => () => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: () => new Promise<void>(() => undefined),
  });
  return new Response(body, { headers: { 'content-type': type } });
};

const chat = {
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: 'Hello' }],
};
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

describe.each([
  ['without retries of its own', 0],
  ['with its default options', null],
])('the openai package %s', (_, maxRetries) => {
  const start = (fault?: Fault, options?: PolygateOptions) => openaiOn(fault, options, maxRetries);

  test('chats with the API key of the client, and its charge enters the ledger', async () => {
    const { mock, gateway, openai } = start();
    const { choices } = await openai.chat.completions.create(chat);
    expect(choices[0]?.message.content).toContain('You said: Hello');
    const [request] = mock.requests;
    expect(JSON.stringify(request?.headers)).not.toContain('unused');
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.spend.totalUsd).toBe(mock.invoice[0]?.usd);
  });

  test('streams, with usage', async () => {
    const { mock, gateway, openai } = start();
    const stream = await openai.chat.completions.create({
      ...chat,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await drain(stream);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toContain('You said: Hello');
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.invoice).toHaveLength(1);
  });

  test('frees the slot when the caller leaves a stream', async () => {
    const { gateway, openai } = start();
    const stream = await openai.chat.completions.create({ ...chat, stream: true });
    for await (const chunk of stream) {
      expect(chunk.object).toBe('chat.completion.chunk');
      break;
    }
    expect(gateway.concurrency.inFlight).toBe(0);
  });

  test('calls tools', async () => {
    const { mock, openai } = start();
    const messages = [{ role: 'user' as const, content: 'The weather in Lisbon?' }];
    const { choices } = await openai.chat.completions.create({
      ...chat,
      messages,
      tools: [weather],
      tool_choice: 'required',
    });
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(choices[0]?.message.tool_calls).toMatchObject([
      { type: 'function', function: { name: 'get_weather' } },
    ]);
    expect(mock.invoice).toHaveLength(1);
  });

  test('lists models', async () => {
    const { mock, openai } = start();
    const models = await openai.models.list();
    expect(models.data.map(({ id }) => id)).toContain('aurora-chat');
    expect((await openai.models.retrieve('aurora-chat')).id).toBe('aurora-chat');
    expect(mock.invoice).toHaveLength(0);
  });

  test('reports a 402 as its own error, after one request', async () => {
    const { mock, openai } = start({ status: 402 });
    const error = await mock.clock.settle(caught(openai.chat.completions.create(chat)));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 402, code: 'insufficient_balance' });
    expect(mock.requests).toHaveLength(1);
    expect(mock.invoice).toHaveLength(0);
  });

  test('reports a truncated stream, after one request', async () => {
    for (const cut of ['reset', 'end'] as const) {
      const { mock, gateway, openai } = start({ cutStreamAfter: 2, cut });
      const stream = await openai.chat.completions.create({ ...chat, stream: true });
      expect(await caught(drain(stream))).toBeInstanceOf(StreamTruncatedError);
      expect(mock.requests).toHaveLength(1);
      expect(mock.invoice).toHaveLength(1);
      expect(gateway.spend.requests).toBe(1);
      expect(gateway.concurrency.inFlight).toBe(0);
    }
  });

  test('can be aborted', async () => {
    const { mock, gateway, openai } = start({ stallHeaders: true });
    const stop = new AbortController();
    const error = caught(openai.chat.completions.create(chat, { signal: stop.signal }));
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    stop.abort();
    expect(await error).toBeInstanceOf(APIUserAbortError);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.inFlight).toBe(0);
  });
});

describe('the openai package with maxRetries: 0', () => {
  test('sends a chat once, whatever happens, so that it is charged once', async () => {
    for (const fault of [{ status: 502, handled: true }, { reset: 'after' }] as const) {
      const { mock, gateway, openai } = openaiOn(fault);
      const error = await mock.clock.settle(caught(openai.chat.completions.create(chat)));
      expect(error).toBeInstanceOf(APIError);
      expect(mock.requests).toHaveLength(1);
      expect(mock.invoice).toHaveLength(1);
      expect(gateway.concurrency.inFlight).toBe(0);
    }
  });

  test('has the error of the client as the cause of its own', async () => {
    const { openai } = openaiOn({ reset: 'after' });
    const error = await caught(openai.chat.completions.create(chat));
    expect(error).toBeInstanceOf(APIConnectionError);
    expect(error.cause).toBeInstanceOf(ConnectionError);
    expect(error.cause).toMatchObject({ outcome: 'unknown' });
  });

  test.each([
    ['a chat', {}],
    ['a stream', { stream: true as const }],
  ])('reports its own timeout of %s as a timeout', async (_, params) => {
    const { mock, gateway, openai } = openaiOn({ stallHeaders: true });
    const error = await caught(
      openai.chat.completions.create({ ...chat, ...params }, { timeout: 5 }),
    );
    expect(error).toBeInstanceOf(APIConnectionTimeoutError);
    expect(error.message).toBe('Request timed out.');
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.inFlight).toBe(0);
  });

  test('reports the timeout of a body as a timeout', async () => {
    const openai = openaiOver(stalledBody('application/json', '{"id":'));
    const error = await caught(openai.chat.completions.create(chat, { timeout: 5 }));
    expect(error).toBeInstanceOf(APIConnectionTimeoutError);
  });

  test('reports the timeout of the client as a timeout', async () => {
    const { mock, openai } = openaiOn({ stallHeaders: true }, { timeout: 5_000 });
    const error = await mock.clock.settle(caught(openai.chat.completions.create(chat)));
    expect(error).toBeInstanceOf(APIConnectionTimeoutError);
  });

  test.each([
    ['abort()', (stop: AbortController) => stop.abort()],
    ['an error of their own', (stop: AbortController) => stop.abort(new Error('enough'))],
    ['a timeout', (stop: AbortController) => stop.abort(new DOMException('late', 'TimeoutError'))],
  ])('reports an abort of the user with %s as such', async (_, abort) => {
    const { openai } = openaiOn({ stallHeaders: true });
    const stop = new AbortController();
    const error = caught(openai.chat.completions.create(chat, { signal: stop.signal }));
    await turns();
    abort(stop);
    expect(await error).toBeInstanceOf(APIUserAbortError);
  });

  test('ends the loop over a stream when the user aborts it', async () => {
    const openai = openaiOver(stalledBody('text/event-stream', firstEvent));
    const stream = await openai.chat.completions.create({ ...chat, stream: true });
    const texts: unknown[] = [];
    for await (const { choices } of stream) {
      texts.push(choices[0]?.delta.content);
      stream.controller.abort();
    }
    expect(texts).toEqual(['Ah']);
  });

  test('is retried by the client where that is safe', async () => {
    const { mock, openai } = openaiOn({ status: 503, times: 2 });
    const { choices } = await mock.clock.settle(openai.chat.completions.create(chat));
    expect(choices).toHaveLength(1);
    expect(mock.requests).toHaveLength(3);
    expect(mock.invoice).toHaveLength(1);
  });

  test('generates an image under one key', async () => {
    const { mock, openai } = openaiOn({ reset: 'after', times: 2 });
    await mock.clock.settle(
      openai.images.generate({ model: 'prism-image', prompt: 'A harbor' }).catch(() => undefined),
    );
    expect(mock.requests).toHaveLength(3);
    expect(mock.invoice).toHaveLength(1);
  });
});

describe('the retries of the openai package', () => {
  test.each([
    { status: 502, handled: true },
    { status: 408, handled: true },
    { status: 409, code: 'attempt_repeated', handled: true },
    { status: 429, handled: true, headers: { 'x-svc-charge-usd': '0.01' } },
    { status: 500, handled: true, headers: { 'x-should-retry': 'true' } },
  ])(
    'do not repeat a chat after an error status with which it may have been charged: %o',
    async (fault) => {
      const { mock, openai } = openaiOn({ ...fault, times: 1 }, {}, null);
      const error = await mock.clock.settle(caught(openai.chat.completions.create(chat)));
      expect(error).toMatchObject({ status: fault.status });
      expect(mock.invoice).toHaveLength(1);
    },
  );

  test('do not repeat a generation that may have been charged under another key', async () => {
    const { mock, openai } = openaiOn(
      { status: 502, handled: true, times: 1 },
      { maxRetries: 0 },
      null,
    );
    const generate = () => openai.images.generate({ model: 'prism-image', prompt: 'A harbor' });
    expect(await mock.clock.settle(caught(generate()))).toMatchObject({ status: 502 });
    expect(mock.invoice).toHaveLength(1);
  });

  test('repeat a generation under a key of the caller, which is charged once', async () => {
    const { mock, openai } = openaiOn(
      { status: 502, handled: true, times: 1 },
      { maxRetries: 0 },
      null,
    );
    const headers = { 'idempotency-key': 'order-17' };
    const params = { model: 'prism-image', prompt: 'A harbor' };
    await openai.images.generate(params, { headers });
    expect(mock.requests).toHaveLength(2);
    expect(mock.invoice).toHaveLength(1);
  });

  test('repeat a chat after a lost connection', async () => {
    const { mock, openai } = openaiOn({ reset: 'after', times: 1 }, {}, null);
    await openai.chat.completions.create(chat);
    // The reason why the guide says `maxRetries: 0`.
    expect(mock.invoice).toHaveLength(2);
  });
});

import { PaymentRequiredError, Polygate, RateLimitError } from 'polygate';
import { memoryStore } from 'polygate/proxy';
import type { ProxyOptions } from 'polygate/proxy';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { ConfigurationError } from '../../../../src/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { rejection } from '../../../support/rejection.ts';
import { mount, sendRaw, startProxy } from '../support.ts';
import { chat, image, received, usageOf } from './support.ts';

const once = { maxRetries: 0 };
const chats = 'POST /v1/chat/completions';
const material = { url: 'https://files.example/a.png', type: 'image' as const };

describe('limits.requests', () => {
  test('counts POSTs of every kind with replays, and neither reads nor refused ones', async () => {
    const setup = await startProxy({ limits: { requests: 4 } });
    const client = setup.page(once);
    await client.images.submit(image, { idempotencyKey: 'k' });
    await client.images.submit(image, { idempotencyKey: 'k' });
    await client.materials.create(material);
    await client.models.list();
    await client.chat.completions.create(chat);
    const error = await rejection(RateLimitError, client.chat.completions.create(chat));
    expect(error).toMatchObject({ status: 429, code: 'user_limit_exceeded', outcome: 'rejected' });
    expect(error.body).toMatchObject({ error: { limit: 'requests', type: 'rate_limit_error' } });
    expect(error.retryAfterMs).toBeGreaterThan(0);
    expect(await usageOf(setup)).toMatchObject({ requests: 4, inFlight: 0 });
    expect(received(setup.mock)).toHaveLength(4);
  });

  test('counts again in the next window', async () => {
    const setup = await startProxy({ limits: { requests: 1, window: 300 } });
    for (let sent = 0; sent < 3;) {
      const response = setup.page(once).chat.completions.create(chat);
      sent += await response.then(
        () => 1,
        () => 0,
      );
      expect((await usageOf(setup)).requests).toBeLessThanOrEqual(1);
    }
    expect(setup.mock.invoice).toHaveLength(3);
  });
});

describe('limits.window', () => {
  test.each([
    ['a window of ten years has an end', 315_360_000_000, true],
    ['a window that is forever has none', 'forever', false],
  ] as const)('%s', async (_, window, hasEnd) => {
    const setup = await startProxy({ limits: { usd: 0.02, requests: 2, window } });
    const client = setup.page(once);
    await client.images.submit(image);
    const paid = await rejection(PaymentRequiredError, client.images.submit(image));
    expect(paid.body).toMatchObject({ error: { limit: 'usd', spent_usd: 0.02 } });
    await client.materials.create(material);
    const limited = await rejection(RateLimitError, client.materials.create(material));
    for (const { body } of [paid, limited]) {
      expect(JSON.stringify(body).includes('window_ends_at')).toBe(hasEnd);
    }
    expect(limited.retryAfterMs !== undefined).toBe(hasEnd);
    const { windowEndsAt } = await setup.handler.usage('ann');
    expect(windowEndsAt.getTime()).toBeGreaterThan(Date.now());
  });
});

describe('limits.concurrent', () => {
  test('counts a stream until its end', async () => {
    const setup = await startProxy({ limits: { concurrent: 1 } }, { chunkDelayMs: 20 });
    const chunks = setup.page(once).chat.completions.stream(chat)[Symbol.asyncIterator]();
    await chunks.next();
    const error = await rejection(RateLimitError, setup.page(once).chat.completions.create(chat));
    expect(error).toMatchObject({ code: 'user_limit_exceeded', retryAfterMs: 1_000 });
    expect(error.body).toMatchObject({ error: { limit: 'concurrent' } });
    expect(received(setup.mock)).toHaveLength(1);
    while ((await chunks.next()).done !== true);
    await expect.poll(() => usageOf(setup)).toMatchObject({ inFlight: 0 });
    await setup.page(once).chat.completions.create(chat);
  });

  test('counts a stream with another content type until its end', async () => {
    const setup = await startProxy(
      {
        limits: { concurrent: 1 },
        fetch: async (...request) => {
          const { body, headers: sent } = await fetch(...request);
          const headers = new Headers(sent);
          headers.set('content-type', 'application/json');
          return new Response(body, { headers });
        },
      },
      { chunkDelayMs: 20 },
    );
    const stream = setup.page(once).chat.completions.stream(chat);
    const chunks = stream[Symbol.asyncIterator]();
    await chunks.next();
    expect(await usageOf(setup)).toMatchObject({ inFlight: 1 });
    while ((await chunks.next()).done !== true);
    await expect.poll(() => usageOf(setup)).toMatchObject({ inFlight: 0 });
  });

  test('is freed when the page leaves a stream', async () => {
    const setup = await startProxy({ limits: { concurrent: 1 } });
    setup.mock.fail({ route: chats, stallBody: 200 });
    const stream = setup.page(once).chat.completions.stream(chat);
    stream.final().catch(() => {});
    await eventually(() => expect(setup.mock.invoice).toHaveLength(1));
    expect(await usageOf(setup)).toMatchObject({ inFlight: 1 });
    stream.abort();
    await expect.poll(() => usageOf(setup)).toMatchObject({ inFlight: 0 });
  });

  test('is freed when a stream is cut off', async () => {
    const setup = await startProxy({ limits: { concurrent: 1 } });
    setup.mock.fail({ route: chats, cutStreamAfter: 1 });
    await setup
      .page(once)
      .chat.completions.stream(chat)
      .final()
      .catch(() => {});
    await expect.poll(() => usageOf(setup)).toMatchObject({ inFlight: 0 });
  });

  test('is retried by the client after a second, without the queue for slots', async () => {
    const setup = await startProxy({ limits: { concurrent: 1 } });
    setup.mock.fail({ route: 'POST /v1/images/tasks', delayMs: 300, times: 1 });
    const client = setup.page({ maxQueueTime: 1 });
    const slow = client.images.submit(image);
    await eventually(() => expect(setup.mock.invoice).toHaveLength(1));
    await client.images.submit(image);
    await slow;
    expect(setup.mock.invoice).toHaveLength(2);
  });

  test('stays taken if the system time jumps by an hour', async () => {
    const store = memoryStore();
    const setup = await startProxy({ limits: { concurrent: 1 }, store });
    const flight = { user: 'ann', request: 'r', usd: 0, isChargedOnce: false, body: '' };
    const limits = { windowMs: 86_400_000 };
    await store.reserve({ ...flight, limits, leaseMs: 600_000 });
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    await rejection(RateLimitError, setup.page(once).chat.completions.create(chat));
    expect(received(setup.mock)).toEqual([]);
  });

  test('of a process that died is freed when its lease has ended', async () => {
    const store = memoryStore();
    const setup = await startProxy({ limits: { concurrent: 1 }, store });
    const dead = { user: 'ann', request: 'r', usd: 0, isChargedOnce: false, body: '' };
    await store.reserve({ ...dead, limits: { windowMs: 86_400_000 }, leaseMs: 300 });
    expect(await usageOf(setup)).toMatchObject({ inFlight: 1 });
    await expect.poll(() => usageOf(setup)).toMatchObject({ inFlight: 0 });
    await setup.page(once).chat.completions.create(chat);
  });
});

describe('limits as a function', () => {
  test('receive the user and the request, and may be asynchronous or undefined', async () => {
    const limits: ProxyOptions['limits'] = async (user, request) =>
      user === 'bob' ? undefined : { requests: Number(request.headers.get('x-plan') ?? 1) };
    const setup = await startProxy({ limits });
    const send = (user: string, plan = '1') =>
      new Polygate({
        apiKey: null,
        baseURL: setup.origin + mount,
        headers: { 'x-user': user, 'x-plan': plan },
        maxRetries: 0,
        logLevel: 'off',
      }).chat.completions.create(chat);
    await send('ann');
    await rejection(RateLimitError, send('ann'));
    await send('ann', '2');
    await send('bob');
    await send('bob');
    expect(await usageOf(setup)).toMatchObject({ requests: 2 });
    expect(await usageOf(setup, 'bob')).toMatchObject({ requests: 0 });
  });

  test.each([
    ['throw', () => Promise.reject(new Error('No database'))],
    ['are invalid', () => ({ usd: -1 })],
    ['are misspelled', () => ({ used: 1 }) as never],
    ['are null', () => null as never],
  ])('that %s lead to a 500, and nothing is sent', async (_, limits) => {
    const { mock, origin, reports } = await startProxy({ limits });
    const reply = await sendRaw(origin, {
      method: 'POST',
      path: `${mount}/v1/chat/completions`,
      headers: { 'x-user': 'ann', 'content-type': 'application/json' },
      body: JSON.stringify(chat),
    });
    expect(reply).toMatchObject({ status: 500, code: 'internal_error' });
    expect(reports).toHaveLength(1);
    expect(mock.requests).toEqual([]);
  });
});

test.each<[string, object]>([
  ['limits', { limits: 1 }],
  ['limits.usd', { limits: { usd: -1 } }],
  ['limits.usd', { limits: { usd: Infinity } }],
  ['limits.window', { limits: { window: '1w' } }],
  ['limits.window', { limits: { window: 0.5 } }],
  ['limits.window', { limits: { window: Number.MAX_SAFE_INTEGER } }],
  ['limits.window', { limits: { window: 315_360_000_001 } }],
  ['limits.requests', { limits: { requests: 1.5 } }],
  ['limits.concurrent', { limits: { concurrent: 0 } }],
  ['limits.chatUsd', { limits: { chatUsd: 0 } }],
  ['limits.used', { limits: { used: 1 } }],
  ['unpriced', { unpriced: 'maybe' }],
  ['isolate', { isolate: 'yes' }],
  ['unowned', { unowned: true }],
  ['store', { store: {} }],
  ['onStoreError', { onStoreError: 'ignore' }],
])('an invalid option throws when the handler is created: %s: %o', async (name, options) => {
  const error = await rejection(ConfigurationError, startProxy(options));
  expect(error.message).toContain(`${name}: `);
});

describe('with limits, a body is rejected', () => {
  test.each([
    ['that repeats a field', '"n":1,"n":2'],
    ['that repeats a nested field', '"extra_body":{"seed":1,"seed":2}'],
    ['that repeats a field in a list', '"a":[{"b":1,"b":2}]'],
    ['that repeats an escaped name', String.raw`"n":1,"\u006e":2`],
    ['that repeats a field in upper case', '"prompt2":"a","PROMPT2":"b"'],
    ['that sets the price under another name', '"N":100'],
    ['that sets the price with a hyphen', '"num-images":100'],
    ['that sets the price with a long s', '"ſize":"4K"'],
    ['that sets the price in extra_body', '"extra_body":{"num_images":100}'],
    ['that sets extra_body under another name', '"extraBody":{"num_images":100}'],
  ])('%s', async (_, field) => {
    const { mock, origin } = await startProxy({ limits: { usd: 1 } });
    const reply = await sendRaw(origin, {
      method: 'POST',
      path: `${mount}/v1/images/tasks`,
      headers: { 'x-user': 'ann', 'content-type': 'application/json' },
      body: `{"model":"prism-image","prompt":"A harbor",${field}}`,
    });
    expect(reply).toMatchObject({ status: 400, code: 'invalid_request_parameter' });
    expect(mock.requests).toEqual([]);
  });

  test.each([
    [
      'a text and an input',
      '/v1/audio/tasks',
      { model: 'echo-speech', text: '', input: 'x' },
      0.000_03,
    ],
    ['an empty text for music', '/v1/audio/tasks', { model: 'anthem-music', text: '' }, 0.03],
    ['two counts', '/v1/images/tasks', { ...image, n: 5, num_images: 1 }, 0.1],
  ])('or reserves the most expensive reading of it: %s', async (_, path, body, expected) => {
    const reserved: unknown[] = [];
    const { origin } = await startProxy({
      limits: { usd: 10 },
      permit: ({ reservedUsd }) => (reserved.push(reservedUsd), false),
    });
    await sendRaw(origin, {
      method: 'POST',
      path: mount + path,
      headers: { 'x-user': 'ann', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(reserved).toEqual([expected]);
  });
});

describe('a store', () => {
  const broken = { ...memoryStore(), renew: () => undefined as never };
  afterEach(() => void vi.useRealTimers());

  test('that cannot renew a lease does not end the process', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const setup = await startProxy({ limits: {}, store: broken }, { chunkDelayMs: 20 });
    const chunks = setup.page(once).chat.completions.stream(chat)[Symbol.asyncIterator]();
    await chunks.next();
    vi.advanceTimersByTime(8_000);
    await chunks.return?.();
    await expect.poll(() => usageOf(setup)).toMatchObject({ inFlight: 0 });
  });

  test('that does not respond makes usage reject', async () => {
    const store = { ...memoryStore(), usage: () => new Promise<never>(() => {}) };
    const setup = await startProxy({ store });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const usage = rejection(Error, setup.handler.usage('ann'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await usage).message).toContain('has not responded within 5000 ms');
  });
});

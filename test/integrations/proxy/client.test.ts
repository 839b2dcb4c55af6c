import { Hono } from 'hono';
import {
  APIError,
  AbortedError,
  AuthenticationError,
  BadRequestError,
  ConcurrencyLimitError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  ServerError,
  ServiceUnavailableError,
  StreamTruncatedError,
} from 'polygate';
import type { Polygate } from 'polygate';
import { describe, expect, test } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { rejection } from '../../support/rejection.ts';
import { unusedOrigin, mount, serveWithNode, startProxy } from './support.ts';
import type { Handler } from './support.ts';

const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Say hello' }] };
const image = { model: 'prism-image', prompt: 'A harbor' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const quick = { pollInterval: 5, maxPollInterval: 10 };

/** Serves a handler as a route of a Hono app. */
async function serveWithHono(handler: Handler): Promise<string> {
  const app = new Hono();
  app.get('/', (context) => context.text('A page'));
  app.all(`${mount}/*`, (context) => handler(context.req.raw));
  return serveWithNode(async (request) => app.fetch(request));
}

describe.each([
  ['Node', serveWithNode],
  ['hono', serveWithHono],
])('a client in a page, with the proxy on %s', (_, serve) => {
  test('completes a chat, in one piece and as a stream', async () => {
    const { mock, page } = await startProxy({}, {}, serve);
    const gateway = page();
    const completion = await gateway.chat.completions.create(chat);
    const stream = gateway.chat.completions.stream(chat);
    let streamed = '';
    for await (const text of stream.text()) streamed += text;
    expect(streamed).toBe(completion.choices[0]?.message.content);
    expect(stream.meta?.requestId).toBe(mock.requests[1]?.requestId);
    expect(gateway.spend.totalUsd).toBeCloseTo(mock.invoice[0]!.usd + mock.invoice[1]!.usd);
  });

  test('generates images, videos and music', async () => {
    const { mock, page } = await startProxy({}, {}, serve);
    const { images, videos, audio } = page();
    const generations = await Promise.all([
      images.generate(image, quick),
      images.generate(image, { route: 'generations', ...quick }),
      videos.generate({ model: 'tide-video', prompt: 'Waves' }, quick),
      videos.generate(
        { model: 'tide-video', prompt: 'Waves' },
        { route: 'video/generations', ...quick },
      ),
      audio.music.generate({ model: 'anthem-music', prompt: 'A shanty' }, quick),
    ]);
    expect(generations.map(({ status, urls }) => [status, urls.length])).toEqual(
      generations.map(() => ['succeeded', 1]),
    );
    expect(mock.invoice).toHaveLength(generations.length);
  });

  test('registers, retrieves and deletes a material', async () => {
    const { page } = await startProxy({}, {}, serve);
    const { materials } = page();
    const { id, uri } = await materials.register(material, quick);
    expect(uri).toMatch(/^asset:/);
    expect(await materials.retrieve(id)).toMatchObject({ id });
    expect(await materials.delete(id)).toMatchObject({ status: 'deleted' });
  });

  test('reads models, voices and public endpoints', async () => {
    const { page } = await startProxy({}, {}, serve);
    const gateway = page();
    const [model] = [...(await gateway.models.list())];
    expect(await gateway.models.retrieve(model!.id)).toMatchObject({ id: model!.id });
    const slashed = [...(await gateway.models.list())].find(({ id }) => id.includes('/'));
    expect(await gateway.models.retrieve(slashed!.id)).toMatchObject({ id: slashed!.id });
    expect([...(await gateway.voices.list())].length).toBeGreaterThan(1);
    expect(await gateway.public.status({ locale: 'en-US' })).toHaveProperty('overallStatus');
    expect(await gateway.public.pricing({ type: 'image' })).toHaveProperty('object');
  });
});

describe('a failed connection to the gateway', () => {
  test('after it accepted a submit request leads to a retry with the same key and one charge', async () => {
    const { mock, page } = await startProxy();
    mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 2 });
    const task = await page({ random: () => 0 }).images.submit(image);
    expect(task.replayed).toBe(true);
    expect(mock.requests.map(({ headers }) => headers['x-idempotency-key'])).toHaveLength(3);
    expect(new Set(mock.requests.map(({ headers }) => headers['x-idempotency-key'])).size).toBe(1);
    expect(mock.invoice).toHaveLength(1);
  });

  test('after it accepted a chat has an unknown outcome and is not retried', async () => {
    const { mock, page } = await startProxy();
    mock.fail({ route: 'POST /v1/chat/completions', reset: 'after' });
    const error = await rejection(ServerError, page().chat.completions.create(chat));
    expect(error).toMatchObject({ status: 502, code: 'bad_gateway', outcome: 'unknown' });
    expect(mock.requests).toHaveLength(1);
  });

  test('before anything was sent has the outcome rejected', async () => {
    const { page, reports } = await startProxy({ baseURL: await unusedOrigin() });
    const error = await rejection(
      ServiceUnavailableError,
      page({ maxRetries: 0 }).chat.completions.create(chat),
    );
    expect(error).toMatchObject({ outcome: 'rejected' });
    expect(String(reports)).toContain('ECONNREFUSED');
  });
});

describe('idempotency keys', () => {
  const submit = (gateway: Polygate) => gateway.images.submit(image, { idempotencyKey: 'row-17' });

  test('replay for the same user, even through another process', async () => {
    const { mock, gatewayURL, page } = await startProxy();
    const first = await submit(page());
    const other = await startProxy({ baseURL: gatewayURL });
    const second = await submit(other.page());
    expect([second.id, second.replayed]).toEqual([first.id, true]);
    expect(mock.invoice).toHaveLength(1);
  });

  test('of two users never collide', async () => {
    const { mock, page } = await startProxy();
    const pairs = [
      ['ann', 'row-17'],
      ['bob', 'row-17'],
      ['a', 'nnrow-17'],
      ['annr', 'ow-17'],
      ['ann"', '","row-17'],
    ];
    for (const [user, idempotencyKey] of pairs) {
      const task = await page({}, user).images.submit(image, { idempotencyKey });
      expect(task.replayed).toBe(false);
    }
    expect(mock.invoice).toHaveLength(pairs.length);
  });

  test('stay within the length limit of the gateway', async () => {
    const { mock, page } = await startProxy();
    const idempotencyKey = '~'.repeat(200);
    await page({}, 'ö'.repeat(100))
      .materials.create(material, { idempotencyKey })
      .catch(() => {});
    await page({}, 'x'.repeat(1_000)).materials.create(material, { idempotencyKey });
    expect(mock.requests.at(-1)?.headers['idempotency-key']).toMatch(/^[!-~]{1,200}$/);
  });
});

describe('an error through the proxy', () => {
  const fault = { route: 'POST /v1/images/tasks', times: 9 };
  test.each([
    [400, BadRequestError, 'invalid_request_parameter'],
    [402, PaymentRequiredError, 'insufficient_balance'],
    [403, PermissionDeniedError, 'api_key_disabled'],
    [404, NotFoundError, 'not_found'],
    [429, ConcurrencyLimitError, 'concurrency_limit_exceeded'],
    [500, ServerError, 'internal_error'],
    [503, ServiceUnavailableError, 'service_unavailable'],
  ])('with status %i is the same as without a proxy', async (status, Class, code) => {
    const { mock, page, gatewayURL } = await startProxy();
    mock.fail({ ...fault, status });
    const options = { maxRetries: 0, maxQueueTime: 0 };
    const error = await rejection(Class, page(options).images.submit(image));
    const { apiKey } = mock;
    const direct = page({ ...options, apiKey, baseURL: gatewayURL });
    const directError = await rejection(APIError, direct.images.submit(image));
    const { message, outcome, type } = error;
    expect(error).toMatchObject({ status, code });
    const withoutId = (text: string) => text.replace(/req_\w+/, '');
    expect({ outcome, type, message: withoutId(message) }).toEqual({
      outcome: directError.outcome,
      type: directError.type,
      message: withoutId(directError.message),
    });
  });

  test('keeps its retryAfterMs', async () => {
    const { mock, page } = await startProxy();
    mock.fail({ ...fault, status: 503, headers: { 'retry-after': '120' } });
    const error = await rejection(APIError, page().images.submit(image));
    expect(error).toMatchObject({ retryAfterMs: 120_000 });
    expect(mock.requests).toHaveLength(1);
  });

  test('does not quote an API key that the gateway rejects', async () => {
    const { page } = await startProxy({ apiKey: 'sk-wrong-canary' });
    const error = await rejection(AuthenticationError, page().models.list());
    expect(JSON.stringify(error) + String(error)).not.toContain('canary');
  });
});

test('a client in a page respects the concurrency limit of the gateway', async () => {
  const { mock, page } = await startProxy({}, { concurrencyLimit: 2, latencyMs: 5 });
  const gateway = page();
  await Promise.all(Array.from({ length: 12 }, () => gateway.images.submit(image)));
  expect(gateway.concurrency.limit).toBe(2);
  expect(mock.peakInFlight).toBeLessThanOrEqual(2);
  expect(mock.invoice).toHaveLength(12);
});

describe('a stream', () => {
  test('frees its slot at the gateway when the page stops reading', async () => {
    const { mock, page } = await startProxy({}, { chunkDelayMs: 20 });
    const stream = page().chat.completions.stream(chat);
    for await (const _ of stream) break;
    await eventually(() => expect(mock.inFlight).toBe(0));
    expect(mock.peakInFlight).toBe(1);
  });

  test('ends with the abort reason of the page and frees its slot', async () => {
    const { mock, page } = await startProxy({}, { chunkDelayMs: 20 });
    const { signal, abort } = controller();
    const stream = page().chat.completions.stream(chat, { signal });
    const iterator = stream.text()[Symbol.asyncIterator]();
    await iterator.next();
    abort('enough');
    const error = await rejection(AbortedError, Promise.resolve(iterator.next()));
    expect(error).toMatchObject({ cause: 'enough' });
    await eventually(() => expect(mock.inFlight).toBe(0));
  });

  test('frees its slot once its headers arrive, when it is aborted before the first chunk', async () => {
    const { mock, page } = await startProxy();
    mock.fail({ route: 'POST /v1/chat/completions', delayMs: 500 });
    const { signal, abort } = controller();
    const completion = page().chat.completions.create(chat, { signal });
    await eventually(() => expect(mock.inFlight).toBe(1));
    abort('enough');
    await rejection(AbortedError, completion);
    await eventually(() => expect(mock.inFlight).toBe(0));
  });

  test('that is truncated throws StreamTruncatedError', async () => {
    const { mock, page } = await startProxy();
    mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 3 });
    const stream = page().chat.completions.stream(chat);
    const error = await rejection(StreamTruncatedError, stream.final());
    expect(error).toMatchObject({ partial: { object: 'chat.completion' } });
  });
});

function controller() {
  const inner = new AbortController();
  return { signal: inner.signal, abort: (reason: unknown) => inner.abort(reason) };
}

import { describe, expect, test } from 'vitest';

import { PolygateError } from '../../../src/index.ts';
import {
  coded,
  errorReply,
  hang,
  image,
  onMock,
  reset,
  submitted,
  turns,
  unreachable,
} from '../support.ts';
import type { Reply } from '../support.ts';
import { chatPath, fetchChat, imagePath, networkCodesOf, post, scriptedClient } from './support.ts';

const chat = { model: 'aurora-chat', messages: [{ role: 'user', content: 'Hello' }] };

describe('a request without a response', () => {
  const deep: Reply = () => {
    throw new TypeError('fetch failed', {
      cause: new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')], 'all failed', {
        cause: Object.assign(coded('UND_ERR_SOCKET'), { errno: -104 }),
      }),
    });
  };

  test.each([
    ['a refused connection', unreachable, 'not-sent', 4],
    ['a reset', reset, 'unknown', 1],
    ['a nested error', deep, 'unknown', 1],
  ])(
    'rejects after %s, and no cause has a network error code',
    async (_, reply, outcome, count) => {
      const { gateway, sent, fail } = scriptedClient([reply]);
      const error = await fail(fetchChat(gateway, chat));
      expect(error).toBeInstanceOf(PolygateError);
      expect(error).toMatchObject({ name: 'ConnectionError', outcome });
      expect(networkCodesOf(error)).toEqual([]);
      expect(JSON.stringify(error.cause, Object.getOwnPropertyNames(error.cause))).not.toMatch(
        /"(code|errno)"/,
      );
      expect(sent).toHaveLength(count);
    },
  );

  test('carries the key of a submission', async () => {
    const { gateway, sent, fail } = scriptedClient([reset]);
    const error = await fail(gateway.fetch(imagePath, post(image)));
    expect(error.idempotencyKey).toBe(sent[0]?.headers.get('x-idempotency-key'));
    expect(error.message).toContain('Retry with error.idempotencyKey');
  });

  test.each(['..', '{"v":1}'])('carries the task that the service named %j', async (id) => {
    const body = () =>
      new ReadableStream({ pull: (controller) => controller.error(coded('ECONNRESET')) });
    const broken: Reply = () => new Response(body(), { headers: { 'x-svc-task-id': id } });
    const { gateway, fail } = scriptedClient([broken, errorReply(409)], { maxRetries: 0 });
    const error = await fail(gateway.fetch(imagePath, post(image, { 'x-idempotency-key': 'k1' })));
    expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: 'k1', task: { id } });
    expect(JSON.stringify(error.task)).toContain('"idempotencyKey":"k1"');
    expect((await gateway.fetch(imagePath, post(image))).status).toBe(409);
  });

  test('carries the task whose response broke off', async () => {
    const body = () =>
      new ReadableStream({ pull: (controller) => controller.error(coded('ECONNRESET')) });
    const headers = { 'x-svc-task-id': 'task_9', 'x-svc-charge-usd': '0.02' };
    const { gateway, fail } = scriptedClient([() => new Response(body(), { headers })], {
      maxRetries: 0,
    });
    const error = await fail(gateway.fetch(imagePath, post(image)));
    expect(error).toMatchObject({ name: 'ConnectionError', task: { id: 'task_9' } });
    expect(networkCodesOf(error)).toEqual([]);
    expect(gateway.spend.totalUsd).toBe(0.02);
  });

  test('rejects with RequestTimeoutError when time is up', async () => {
    const { gateway, sent, fail } = scriptedClient([hang], { timeout: 5_000 });
    const error = await fail(fetchChat(gateway, chat));
    expect(error).toMatchObject({ name: 'RequestTimeoutError', outcome: 'unknown' });
    expect(networkCodesOf(error)).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  test('rejects with RequestTimeoutError after totalTimeout', async () => {
    const { gateway, fail } = scriptedClient([hang], { totalTimeout: 5_000 });
    expect(await fail(gateway.fetch('/v1/models'))).toMatchObject({ name: 'RequestTimeoutError' });
  });

  test('rejects when no slot becomes free', async () => {
    const { gateway, sent, clock, fail } = scriptedClient([hang], {
      concurrency: 1,
      maxQueueTime: 1_000,
      timeout: 60_000,
    });
    const stop = new AbortController();
    const first = fail(fetchChat(gateway, chat, { signal: stop.signal }));
    const second = fail(fetchChat(gateway, chat));
    await turns();
    await clock.advance(1_500);
    expect(await second).toMatchObject({ name: 'ConcurrencyLimitError', outcome: 'not-sent' });
    stop.abort();
    await first;
    expect(sent).toHaveLength(1);
  });

  test('that the service rejected for lack of a slot resolves with the last 429', async () => {
    const { gateway, settle } = scriptedClient([errorReply(429, 'concurrency_limit_exceeded')], {
      maxQueueTime: 5_000,
    });
    const response = await settle(fetchChat(gateway, chat));
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { code: 'concurrency_limit_exceeded' } });
  });

  test('that may have been charged after it was rejected for lack of a slot rejects', async () => {
    const full = errorReply(429, 'concurrency_limit_exceeded');
    const { gateway, sent, fail } = scriptedClient([full, reset, hang], {
      concurrency: 1,
      maxQueueTime: 10_000,
    });
    const failed = fail(gateway.fetch(imagePath, post(image)));
    // Takes the slot while the first request waits for its third attempt.
    gateway.fetch(imagePath, post(image)).catch(() => undefined);
    const error = await failed;
    expect(sent).toHaveLength(3);
    expect(error).toMatchObject({ name: 'ConcurrencyLimitError', outcome: 'unknown' });
    expect(error.idempotencyKey).toBe(sent[0]?.headers.get('x-idempotency-key'));
  });

  test('rejects if its error is about an earlier response with the same status', async () => {
    const full = errorReply(429, 'concurrency_limit_exceeded');
    const { gateway, sent, fail } = scriptedClient([full, errorReply(429), hang], {
      concurrency: 1,
      maxQueueTime: 10_000,
    });
    const failed = fail(gateway.fetch(imagePath, post(image)));
    // Takes the slot while the first request waits for its third attempt.
    gateway.fetch(imagePath, post(image)).catch(() => undefined);
    const error = await failed;
    expect(sent).toHaveLength(3);
    expect(error).toMatchObject({
      name: 'ConcurrencyLimitError',
      outcome: 'rejected',
      cause: { code: 'concurrency_limit_exceeded' },
    });
  });

  test('that may have been charged before it was rejected for lack of a slot resolves with the last 429', async () => {
    const full = errorReply(429, 'concurrency_limit_exceeded');
    const { gateway, settle } = scriptedClient([reset, full], { maxQueueTime: 5_000 });
    const response = await settle(gateway.fetch(imagePath, post(image)));
    expect(response.status).toBe(429);
    // A library that repeats the request would use another key.
    expect(response.headers.get('x-should-retry')).toBe('false');
  });

  test('rejects without an API key', async () => {
    const { gateway, sent, fail } = scriptedClient([submitted], {
      apiKey: () => Promise.reject(new Error('no key')),
    });
    expect(await fail(fetchChat(gateway, chat))).toMatchObject({ name: 'ConfigurationError' });
    expect(sent).toEqual([]);
  });
});

describe('a budget', () => {
  test('rejects a request whose known price exceeds it', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.03 } });
    await gateway.models.list();
    const send = () => gateway.fetch(imagePath, post(image));
    expect((await mock.clock.settle(send())).status).toBe(202);
    await expect(mock.clock.settle(send())).rejects.toMatchObject({
      name: 'BudgetExceededError',
      outcome: 'not-sent',
    });
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.spend.totalUsd).toBe(0.02);
  });

  test('that is strict rejects a request whose price is unknown', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 10, strict: true } });
    for (const path of [chatPath, imagePath, '/v1/images/edits', '/v1/videos']) {
      await expect(gateway.fetch(path, post({ ...image, ...chat }))).rejects.toMatchObject({
        name: 'BudgetExceededError',
      });
    }
    expect(mock.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    expect((await gateway.fetch('/v1/models')).status).toBe(200);
    expect((await gateway.fetch('/v1/materials', post({}))).status).toBe(400);
  });

  test('reserves the price while a request is in flight', async () => {
    const { mock, gateway } = onMock({}, { budget: { maxUsd: 0.05, strict: true } });
    await gateway.models.list();
    const results = await mock.clock.settle(
      Promise.allSettled(Array.from({ length: 5 }, () => gateway.fetch(imagePath, post(image)))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(mock.invoice).toHaveLength(2);
  });

  test.each([
    { n: 'many' },
    { n: -3 },
    { n: null, size: 7 },
    { resolution: { toLowerCase: 1 } },
    { extra_body: 'x', duration: {} },
    { text: 5, preview_text: [] },
  ])('survives params that are not valid: %o', async (params) => {
    for (const path of [imagePath, '/v1/videos', '/v1/audio/tasks', '/v1/audio/voices/clone']) {
      const { gateway, settle } = scriptedClient([errorReply(400)], { budget: { maxUsd: 10 } });
      const body = { ...params, model: 'prism-image' };
      expect((await settle(gateway.fetch(path, post(body)))).status).toBe(400);
      expect(gateway.spend.totalUsd).toBe(0);
    }
  });

  test('is not touched by a body that is no JSON', async () => {
    const { gateway, sent, settle } = scriptedClient([submitted], { budget: { maxUsd: 1 } });
    for (const body of ['{', 'null', '[1]', '"x"', '']) {
      await settle(gateway.fetch(imagePath, { method: 'POST', body }));
    }
    expect(sent.map(({ body }) => body)).toEqual(['{', 'null', '[1]', '"x"', '']);
  });
});

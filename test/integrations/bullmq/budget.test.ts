import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';
import type { SetUpOptions } from './setup.ts';
import { warningsOf } from './warnings.ts';

const chats = 'POST /v1/chat/completions';
const messages = [{ role: 'user' as const, content: 'Label this.' }];
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `row ${index}`);

/** As if the service reported no charges. */
const withoutCharge: typeof fetch = async (...request) => {
  const { body, status, headers: received } = await fetch(...request);
  const headers = new Headers(received);
  headers.delete('x-svc-charge-usd');
  return new Response(body, { status, headers });
};

/** As if a proxy replaced the body of all chats but the first one. */
const replaceBodies = (): typeof fetch => {
  let chatsSent = 0;
  return async (...request) => {
    const response = await fetch(...request);
    if (!response.url.endsWith('/chat/completions')) return response;
    chatsSent += 1;
    if (chatsSent === 1) return response;
    const { status, headers } = response;
    return new Response('<html>', { status, headers });
  };
};

/** As if a replay reported that it costs nothing itself. */
const withFreeReplays: typeof fetch = async (...request) => {
  const { body, status, headers: received } = await fetch(...request);
  const headers = new Headers(received);
  if (headers.get('x-svc-idempotent-replay') === 'true') headers.set('x-svc-charge-usd', '0');
  return new Response(body, { status, headers });
};

/** As if the service reported that replays cost nothing. `change` replaces parts of a replay of the task with an id. */
const replaysWith =
  (change: (id: string) => { body: string; headers: Record<string, string> } | undefined) =>
  async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request);
    if (response.headers.get('x-svc-idempotent-replay') !== 'true') return response;
    const text = await response.text();
    const { id } = JSON.parse(text) as { id: string };
    const { body = text, headers } = change(id) ?? {};
    const { status } = response;
    const kept = Object.fromEntries(response.headers);
    return new Response(body, {
      status,
      headers: { ...kept, ...headers, 'x-svc-charge-usd': '0' },
    });
  };

describe.skipIf(!isRedisInstalled)('the budget of a queue', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  /** Queues of which each affords as many chats as a test says. */
  async function start(affordable: number, options: SetUpOptions = {}) {
    const mock = { latencyMs: 20, concurrencyLimit: 8, ...options.mock };
    const all = await setUp(redis.url, { ...options, mock });
    const { gateway } = all;
    const chat = () => gateway.chat.completions.submission({ model: 'aurora-chat', messages });
    const describeRow = (id: string) => ({ id, submission: chat() });
    await gateway.chat.completions.create({ model: 'aurora-chat', messages });
    const [{ usd } = { usd: 0 }] = all.mock.invoice;
    all.mock.clearRecords();
    const maxUsd = (affordable + 0.5) * usd;
    const open = () => all.open({ maxUsd });
    const spent = () => all.mock.invoice.reduce((total, line) => total + line.usd, 0);
    return { ...all, open, queue: open(), describeRow, maxUsd, spent };
  }

  test('is not exceeded by chats that several workers send at the same time', async () => {
    await using all = await start(4);
    const { queue, mock } = all;
    await queue.addBulk(numbered(40), all.describeRow);
    for (let worker = 0; worker < 3; worker += 1) all.open().work();
    await until(() => queue.paused).toBe('budget');
    await until(async () => (await queue.count()).submitting).toBe(0);
    expect(await queue.count()).toMatchObject({ succeeded: 4, waiting: 36, failed: 0, unknown: 0 });
    expect(mock.invoice).toHaveLength(4);
    expect(all.spent()).toBeLessThanOrEqual(all.maxUsd);
  });

  test('knows a charge that an attempt has reported, although the next ones were lost', async () => {
    await using all = await setUp(redis.url, { client: { maxRetries: 2, random: () => 0 } });
    const { mock, gateway } = all;
    const image = { model: 'prism-image', prompt: 'A harbor' };
    const pricing = { unitPriceUsd: 0.002 };
    const submits = 'POST /v1/images/tasks';
    const failure = { route: submits, status: 500, retryAfter: 0 };
    mock.fail({
      route: 'GET /v1/models/prism-image',
      body: { id: image.model, type: 'image', pricing },
    });
    const headers = { 'x-svc-charge-usd': '0.02' };
    mock.fail({ ...failure, handled: true, headers, times: 1 });
    mock.fail({ ...failure, times: 2 });
    const queue = all.open({ maxUsd: 0.03 });
    await queue.addBulk(numbered(5), (id) => ({
      id,
      submission: gateway.images.submission(image),
    }));
    queue.work({ concurrency: 1 });
    await until(() => queue.paused).toBe('budget');
    await until(async () => (await queue.count()).submitting).toBe(0);
    expect(mock.invoice).toHaveLength(1);
  });

  test('reserves what images cost if their listed price is too low', async () => {
    await using all = await setUp(redis.url);
    const { mock, gateway } = all;
    const image = { model: 'prism-image', prompt: 'A harbor' };
    mock.fail({
      route: 'GET /v1/models/prism-image',
      body: { id: image.model, type: 'image', pricing: { unitPriceUsd: 0.002 } },
    });
    const queue = all.open({ maxUsd: 0.05 });
    await queue.addBulk(numbered(20), (id) => ({
      id,
      submission: gateway.images.submission(image),
    }));
    queue.work({ concurrency: 1 });
    await until(() => queue.paused).toBe('budget');
    await until(async () => (await queue.count()).submitting).toBe(0);
    expect(mock.invoice).toHaveLength(2);
  });

  test('is not passed by another process that has not seen that a listed price is too low', async () => {
    await using all = await setUp(redis.url);
    const { mock, gateway } = all;
    const image = { model: 'prism-image', prompt: 'A harbor' };
    const pricing = { unitPriceUsd: 0.002 };
    const body = { id: image.model, type: 'image', pricing };
    mock.fail({ route: 'GET /v1/models/prism-image', body });
    const describeRow = (id: string) => ({ id, submission: gateway.images.submission(image) });
    for (let process = 0; process < 2; process += 1) {
      const queue = all.open({ maxUsd: 0.05 });
      await queue.addBulk(
        numbered(process + 1).map((id) => `${process} ${id}`),
        describeRow,
      );
      const worker = queue.work({ concurrency: 1 });
      await until(async () => (await queue.count()).waiting > 0 && !queue.paused).toBe(false);
      await until(async () => (await queue.count()).submitting).toBe(0);
      await worker.close();
    }
    expect(mock.invoice).toHaveLength(2);
  });

  test('counts a chat as the largest charge so far if its response was lost and its replay costs nothing', async () => {
    const client = { fetch: withFreeReplays, maxRetries: 1, retryAmbiguous: { chat: true } };
    await using all = await start(3, { mock: { assumptions: { A11: 'replay' } }, client });
    const { queue, mock } = all;
    // The first request of each chat but the first, whose charge is known.
    mock.fail({ route: chats, reset: 'after', attempt: [2, 4, 6, 8, 10] });
    await queue.addBulk(numbered(20), all.describeRow);
    queue.work({ concurrency: 1 });
    await until(() => queue.paused).toBe('budget');
    expect(await queue.count()).toMatchObject({ succeeded: 3, unknown: 0, failed: 0 });
    expect(mock.invoice).toHaveLength(3);
    expect(all.spent()).toBeLessThanOrEqual(all.maxUsd);
  });

  test('counts a chat whose response was lost as the largest charge so far', async () => {
    await using all = await start(5);
    const { queue, mock } = all;
    mock.fail({ route: chats, reset: 'after', attempt: [3, 4, 5, 6, 7, 8, 9, 10] });
    await queue.addBulk(numbered(20), all.describeRow);
    queue.work();
    await until(() => queue.paused).toBe('budget');
    await until(async () => (await queue.count()).submitting).toBe(0);
    expect(await queue.count()).toMatchObject({ succeeded: 2, unknown: 3, waiting: 15 });
    expect(all.spent()).toBeLessThanOrEqual(all.maxUsd);
  });

  test('counts the charge of a chat whose response reports it and cannot be read', async () => {
    await using all = await start(3, { client: { fetch: replaceBodies() } });
    const { queue, mock } = all;
    await queue.addBulk(numbered(20), all.describeRow);
    queue.work();
    await until(() => queue.paused).toBe('budget');
    await until(async () => (await queue.count()).submitting).toBe(0);
    expect(await queue.count()).toMatchObject({ unknown: 3, waiting: 17 });
    expect(await queue.get('row 0')).toMatchObject({
      error: { name: 'ResponseValidationError', outcome: 'unknown' },
    });
    expect(mock.invoice).toHaveLength(3);
    expect(all.spent()).toBeLessThanOrEqual(all.maxUsd);
  });

  test('pauses after four chats that may have been charged an unknown amount, and says why', async () => {
    const { warnings, ...client } = warningsOf();
    await using all = await start(100, { client });
    const { queue, mock } = all;
    mock.fail({ route: chats, reset: 'after' });
    await queue.addBulk(numbered(20), all.describeRow);
    all.open().work();
    queue.work();
    await until(() => queue.paused).toBe('budget');
    expect(await queue.count()).toMatchObject({ unknown: 4, waiting: 16, submitting: 0 });
    expect(all.posts()).toBe(4);
    await until(() => warnings.join('\n')).toEqual(
      expect.stringMatching(
        /The queue pauses at its maxUsd: 0 of .* To continue, restart the workers with a higher maxUsd, and call resume\(\)\./,
      ),
    );
  });

  test('counts a chat whose charge is not reported as the largest charge so far', async () => {
    let isReported = true;
    const silent: typeof fetch = (...request) =>
      isReported ? fetch(...request) : withoutCharge(...request);
    await using all = await start(3, { client: { fetch: silent } });
    const { queue, mock } = all;
    queue.work();
    await queue.addBulk(['first'], all.describeRow);
    expect(await queue.result('first')).toMatchObject({ status: 'succeeded' });
    isReported = false;
    await queue.addBulk(numbered(20), all.describeRow);
    await until(() => queue.paused).toBe('budget');
    await until(async () => (await queue.count()).submitting).toBe(0);
    expect(await queue.count()).toMatchObject({ succeeded: 3, unknown: 0, failed: 0 });
    expect(mock.invoice).toHaveLength(3);
    expect(all.spent()).toBeLessThanOrEqual(all.maxUsd);
  });

  test('counts a lost chat whose replay costs nothing itself as the largest charge so far', async () => {
    const fetch = replaysWith(() => undefined);
    await using all = await start(3, {
      mock: { assumptions: { A11: 'replay' } },
      client: { fetch, retryAmbiguous: { chat: true }, maxRetries: 1 },
    });
    const { queue, mock } = all;
    queue.work();
    await queue.addBulk(['first'], all.describeRow);
    expect(await queue.result('first')).toMatchObject({ status: 'succeeded' });
    mock.fail({ route: chats, reset: 'after', times: 1 });
    await queue.addBulk(['lost'], all.describeRow);
    expect(await queue.result('lost')).toMatchObject({ status: 'succeeded' });
    await queue.addBulk(numbered(5), all.describeRow);
    await until(() => queue.paused).toBe('budget');
    await until(async () => (await queue.count()).submitting).toBe(0);
    expect(mock.invoice).toHaveLength(3);
    expect(all.spent()).toBeLessThanOrEqual(all.maxUsd);
  });

  test('counts a lost image whose replay costs nothing itself and cannot be read', async () => {
    const fetch = replaysWith((id) => {
      return { body: '{"id":', headers: { 'x-svc-task-id': id } };
    });
    await using all = await setUp(redis.url, {
      client: { fetch, maxRetries: 1 },
      queue: { maxUsd: 0.03 },
    });
    const { queue, mock } = all;
    mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
    await queue.addBulk(['lost'], all.describeRow);
    queue.work();
    expect(await queue.result('lost')).toMatchObject({ status: 'succeeded' });
    await queue.addBulk(['next'], all.describeRow);
    await until(() => queue.paused).toBe('budget');
    expect(mock.invoice).toHaveLength(1);
  });

  test('reserves the largest charge so far for an image without a known price, also of a fallback', async () => {
    await using all = await setUp(redis.url, { queue: { maxUsd: 0.05 } });
    const { queue, mock, gateway } = all;
    mock.fail({ route: 'GET /v1/models/{model}', status: 404, attempt: [2, 3, 4, 5, 6] });
    await queue.addBulk(numbered(6), (id) => ({
      id,
      submission: gateway.images.submission(
        { model: 'prism-sketch', prompt: id },
        { fallback: ['prism-image'] },
      ),
    }));
    mock.fail({ model: 'prism-sketch', status: 503 });
    all.open().work();
    queue.work();
    await until(() => queue.paused).toBe('budget');
    await until(async () => (await queue.count()).submitting).toBe(0);
    await until(async () => (await queue.count()).succeeded).toBe(2);
    expect(mock.invoice.map(({ usd }) => usd)).toEqual([0.02, 0.02]);
  });
});

import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { redisKeys } from '../../../src/integrations/bullmq/redis/keys.ts';
import { RowStore } from '../../../src/integrations/bullmq/redis/row-store.ts';
import { admitRow } from '../../../src/integrations/bullmq/worker/admissions.ts';
import { holdResponses } from './held-fetch.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { loseJob, setUp, until } from './setup.ts';
import type { SetUpOptions } from './setup.ts';
import { warningsOf } from './warnings.ts';

const chats = 'POST /v1/chat/completions';

describe.skipIf(!isRedisInstalled).concurrent('chats in a queue', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  async function start(options?: SetUpOptions) {
    const all = await setUp(redis.url, options);
    const messages = [{ role: 'user' as const, content: 'Label this.' }];
    const chat = () => all.gateway.chat.completions.submission({ model: 'aurora-chat', messages });
    return { ...all, chat };
  }

  test('have a completion, and are sent once', async () => {
    const { queue, chat, posts, ...all } = await start();
    await queue.addBulk(['a', 'b', 'c'], (id) => ({ id, submission: chat() }));
    queue.work();
    const rows = await Promise.all(['a', 'b', 'c'].map((id) => queue.result(id)));
    for (const row of rows) {
      expect(row).toMatchObject({
        kind: 'chat',
        status: 'succeeded',
        completion: { object: 'chat.completion' },
        generation: undefined,
      });
    }
    expect(posts()).toBe(3);
    await all[Symbol.asyncDispose]();
  });

  test('end as unknown when their response is lost, and only retry() sends them again', async () => {
    const { queue, chat, posts, mock, ...all } = await start();
    const lose = mock.fail({ route: chats, reset: 'after' });
    await queue.add('a', chat());
    queue.work();
    expect(await queue.result('a')).toMatchObject({
      status: 'unknown',
      error: { outcome: 'unknown' },
    });
    expect(posts()).toBe(1);
    lose.remove();
    await queue.retry('a');
    await until(async () => (await queue.get('a'))?.status).toBe('succeeded');
    expect(posts()).toBe(2);
    await all[Symbol.asyncDispose]();
  });

  test('are repeated after a rejection, which costs nothing', async () => {
    const { queue, chat, mock, ...all } = await start({ client: { maxQueueTime: 1 } });
    const code = 'concurrency_limit_exceeded';
    mock.fail({ route: chats, status: 429, code, times: 2, retryAfter: 0 });
    await queue.add('a', chat());
    queue.work();
    expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
    expect(mock.invoice).toHaveLength(1);
    await all[Symbol.asyncDispose]();
  });

  test('end with their completion if the worker that sent them was only cut off', async () => {
    const { fetch: heldFetch, release } = holdResponses();
    const { queue, chat, posts, mock, prefix, ...all } = await start({
      client: { fetch: heldFetch },
    });
    queue.work();
    await queue.add('a', chat());
    await until(posts).toBe(1);
    await loseJob(redis.client, prefix);
    await until(async () => (await queue.get('a'))?.status).toBe('unknown');
    release();
    await until(async () => (await queue.get('a'))?.status).toBe('succeeded');
    expect(await queue.result('a')).toMatchObject({ completion: { object: 'chat.completion' } });
    expect(mock.invoice).toHaveLength(1);
    await all[Symbol.asyncDispose]();
  });

  test.each([
    [402, 'balance'],
    [400, undefined],
  ] as const)(
    'that are rejected with %i after another worker has recorded them as lost are failed, and not charged',
    async (status, paused) => {
      const { fetch: heldFetch, release } = holdResponses();
      const { queue, chat, posts, mock, prefix, ...all } = await start({
        client: { fetch: heldFetch },
      });
      mock.fail({ route: chats, status, times: 1 });
      queue.work();
      await queue.add('a', chat());
      await until(posts).toBe(1);
      await loseJob(redis.client, prefix);
      await until(async () => (await queue.get('a'))?.status).toBe('unknown');
      release();
      await until(async () => (await queue.get('a'))?.status).toBe('failed');
      expect((await queue.get('a'))?.error).toMatchObject({ status, outcome: 'rejected' });
      await until(() => queue.paused).toBe(paused);
      if (paused) await queue.resume();
      await queue.retry('a');
      await until(async () => (await queue.get('a'))?.status).toBe('succeeded');
      expect(mock.invoice).toHaveLength(1);
      await all[Symbol.asyncDispose]();
    },
  );

  test('that were retried before their completion came count both charges, and the late one is logged', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isFirst = true;
    const heldFetch: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      if (isFirst) {
        isFirst = false;
        await held;
      }
      return response;
    };
    const { warnings, ...logging } = warningsOf();
    const { queue, chat, posts, mock, prefix, ...all } = await start({
      client: { fetch: heldFetch, ...logging },
    });
    queue.work();
    await queue.add('a', chat());
    await until(posts).toBe(1);
    await loseJob(redis.client, prefix);
    await until(async () => (await queue.get('a'))?.status).toBe('unknown');
    await queue.retry('a');
    const { completion } = await queue.result('a');
    const spent = async () =>
      Number(await redis.client.hget(`${prefix}:pictures:polygate:spend`, 'spent'));
    const [first = 0, second = 0] = mock.invoice.map(({ usd }) => Math.round(usd * 1e9));
    expect(await spent()).toBe(second);
    release();
    await until(spent).toBe(first + second);
    await until(() => warnings.length).toBe(1);
    expect(warnings[0]).toMatch(
      /row a: the chat completion \S+ has cost [\d.e-]+ USD, but came after its row was retried/,
    );
    expect((await queue.get('a'))?.completion).toEqual(completion);
    await all[Symbol.asyncDispose]();
  });

  test('end as unknown if the worker that sent them is gone, without another request', async () => {
    const { queue, chat, posts, gateway, prefix, ...all } = await start();
    await queue.add('a', chat());
    // What a worker leaves that dies in the middle of the POST.
    const bull = new Queue<never>('pictures', { connection: { url: redis.url }, prefix });
    const store = new RowStore(redis.client, redisKeys(bull, { prefix, baseURL: gateway.baseURL }));
    const stored = await store.read('a');
    if (!stored) throw new Error('no row');
    const admission = await admitRow(store, {
      row: stored,
      price: { usd: undefined },
      maxUsd: undefined,
      admissionId: 'only',
    });
    expect(admission).toMatchObject({ admitted: true });
    queue.work();
    const row = await queue.result('a');
    expect(row).toMatchObject({ status: 'unknown', error: { outcome: 'unknown' } });
    expect(row.error?.message).toContain('only by queue.retry(id)');
    expect(posts()).toBe(0);

    // The worker was only cut off: it still records what it has paid for.
    const state = { completion: { id: 'late' } };
    const sent = { ...stored, turn: admission.admitted ? admission.turn : '' };
    const late = { from: 'unknown', to: 'succeeded', state } as const;
    expect(await store.move(sent, Object.assign(late))).toBe(true);
    expect((await queue.get('a'))?.status).toBe('succeeded');
    await bull.close();
    await all[Symbol.asyncDispose]();
  });
});

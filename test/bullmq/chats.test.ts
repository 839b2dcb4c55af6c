import { Queue } from 'bullmq';
import { Polygate } from 'polygate';
import type { ChatCompletion, PolygateOptions } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { afterChat } from '../../src/bullmq/decisions/chat.ts';
import { afterRetry } from '../../src/bullmq/decisions/retry.ts';
import { replaceBy } from '../../src/bullmq/decisions/settlement.ts';
import { accountKeys } from '../../src/bullmq/redis/keys.ts';
import { RowStore } from '../../src/bullmq/redis/row-store.ts';
import { admitRow } from '../../src/bullmq/worker/admit-row.ts';
import { recordSubmission } from '../../src/bullmq/worker/record-submission.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';
import type { SetUpOptions } from './setup.ts';
import { admitted, ended, openStores } from './stores.ts';

const chats = 'POST /v1/chat/completions';

/** Options of a client that collects its warnings. */
function warningsOf() {
  const warnings: string[] = [];
  const ignore = () => undefined;
  const warn = (text: string) => void warnings.push(text);
  const logger = { debug: ignore, info: ignore, error: ignore, warn };
  return { warnings, logger, logLevel: 'warn' } satisfies PolygateOptions & { warnings: string[] };
}

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

  /** As if the worker had lost the lock of the job. */
  async function loseJob(prefix: string) {
    const key = (name: string) => `${prefix}:pictures:${name}`;
    await redis.client
      .multi()
      .del(`${key('row-a')}:lock`)
      .lrem(key('active'), 0, 'row-a')
      .rpush(key('wait'), 'row-a')
      .zadd(key('marker'), 0, '0')
      .exec();
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
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const heldFetch: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      await held;
      return response;
    };
    const { queue, chat, posts, mock, prefix, ...all } = await start({
      client: { fetch: heldFetch },
    });
    queue.work();
    await queue.add('a', chat());
    await until(posts).toBe(1);
    await loseJob(prefix);
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
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const heldFetch: typeof fetch = async (...request) => {
        const response = await fetch(...request);
        await held;
        return response;
      };
      const { queue, chat, posts, mock, prefix, ...all } = await start({
        client: { fetch: heldFetch },
      });
      mock.fail({ route: chats, status, times: 1 });
      queue.work();
      await queue.add('a', chat());
      await until(posts).toBe(1);
      await loseJob(prefix);
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
    await loseJob(prefix);
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

  test('are logged without their texts if they cannot be recorded before the connection is closed', async () => {
    await using stores = await openStores(redis.url);
    const [id = ''] = await stores.add(1);
    const turn = await admitted(stores, id);
    const row = await stores.first.readJob(id);
    if (!row) throw new Error('no row');
    const { warnings, ...logging } = warningsOf();
    const gateway = new Polygate({ apiKey: 'sk-1', baseURL: 'https://a.example', ...logging });
    const message = { role: 'assistant', content: 'my secret' };
    const completion: ChatCompletion = JSON.parse(
      JSON.stringify({ id: 'chatcmpl-1', choices: [{ index: 0, message }] }),
    );
    const step = afterChat({}, completion, 0.02);
    const sent = { ...row, turn, data: { ...row.data, kind: 'chat' as const } };
    stores.redis.disconnect();
    expect(await recordSubmission(gateway, stores.first.rows, sent, step)).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringMatching(
        /row r0: the chat completion chatcmpl-1 has cost 0.02 USD, but could not be recorded/,
      ),
    ]);
    expect(warnings.join('')).not.toContain('secret');
  });

  test.each([
    ['is recorded already, by the same submission', false, false, 0.1],
    ['was retried, and the connection runs the script again', true, false, 0.3],
    ['was removed, and the connection runs the script again', false, true, 0.3],
  ])('that are late are counted once if their row %s', async (_, isRetried, isRemoved, spent) => {
    await using stores = await openStores(redis.url);
    const [id = ''] = await stores.add(1);
    const turn = await ended(stores, id, { to: 'unknown', settlement: replaceBy(0.1) });
    const row = await stores.first.readJob(id);
    if (!row) throw new Error('no row');
    if (isRetried) {
      await stores.first.retry(id, row.key, afterRetry(row, 'new key', 0, 1));
      await admitted(stores, id, 0.4);
    }
    if (isRemoved) await stores.first.remove(id);
    for (let run = 0; run < 2; run += 1) {
      const isLate = await stores.first.rows.countLateCharge({ ...row, turn }, 0.2);
      expect(isLate).toBe(isRetried || isRemoved);
    }
    // The reservation of the next submission stays.
    const { spent: total, reserved } = await stores.spend();
    expect([total.toFixed(3), reserved]).toEqual([spent.toFixed(3), isRetried ? 0.4 : 0]);
  });

  test('that are late are counted for each submission, and once if their row is removed meanwhile', async () => {
    await using stores = await openStores(redis.url);
    const [id = ''] = await stores.add(1);
    const turns: string[] = [];
    for (let run = 0; run < 3; run += 1) {
      turns.push(await ended(stores, id, { to: 'unknown' }));
      const row = await stores.first.readJob(id);
      if (!row) throw new Error('no row');
      await stores.first.retry(id, row.key, afterRetry(row, `key ${run}`, 0, 1));
    }
    const row = await stores.first.readJob(id);
    if (!row) throw new Error('no row');
    const { rows } = stores.first;
    const countAll = async () => {
      for (const turn of turns)
        expect(await rows.countLateCharge({ ...row, turn }, 0.1)).toBe(true);
    };
    await countAll();
    await countAll();
    expect((await stores.spend()).spent).toBeCloseTo(0.3);
    expect(await stores.first.remove(id)).toBe(true);
    await countAll();
    expect((await stores.spend()).spent).toBeCloseTo(0.3);
    expect(await stores.redis.ttl(stores.key('late'))).toBeGreaterThan(0);
  });

  test('are counted once if their row is removed before the connection repeats their move', async () => {
    await using stores = await openStores(redis.url);
    const [id = ''] = await stores.add(1);
    const turn = await ended(stores, id, { to: 'succeeded', settlement: replaceBy(0.1) });
    const row = await stores.first.readJob(id);
    if (!row) throw new Error('no row');
    await stores.first.remove(id);
    expect(await stores.first.rows.countLateCharge({ ...row, turn }, 0.1)).toBe(false);
    expect((await stores.spend()).spent).toBeCloseTo(0.1);
  });

  test('end as unknown if the worker that sent them is gone, without another request', async () => {
    const { queue, chat, posts, gateway, prefix, ...all } = await start();
    await queue.add('a', chat());
    // What a worker leaves that dies in the middle of the POST.
    const bull = new Queue<never>('pictures', { connection: { url: redis.url }, prefix });
    const store = new RowStore(redis.client, bull, accountKeys(prefix, gateway.baseURL));
    const stored = await store.read('a');
    if (!stored) throw new Error('no row');
    const admission = await admitRow(store, {
      row: stored,
      priceUsd: undefined,
      maxUsd: undefined,
      attempt: 'only',
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

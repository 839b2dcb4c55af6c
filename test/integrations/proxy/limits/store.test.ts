import { memoryStore } from 'polygate/proxy';
import { redisStore } from 'polygate/proxy/redis';
import { storeTests } from 'polygate/proxy/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isRedisInstalled, startRedis } from '../../bullmq/redis-server.ts';
import type { RedisServer } from '../../bullmq/redis-server.ts';

describe('memoryStore', () => {
  test.each(storeTests(memoryStore))('$name', ({ run }) => expect(run()).resolves.toBeUndefined());

  test('forgets the oldest attempts, so that the memory is limited', async () => {
    const store = memoryStore();
    const attempt = async (id: number) => {
      const request = { user: 'ann', request: crypto.randomUUID(), usd: 0, isChargedOnce: false };
      return store.reserve({ ...request, attempt: `a${id}`, body: '', leaseMs: 1 });
    };
    for (let id = 0; id <= 100_000; id += 1) await attempt(id);
    expect((await attempt(100_000)).refused).toBe('attempt');
    expect((await attempt(0)).refused).toBeUndefined();
  });
});

describe.skipIf(!isRedisInstalled)('redisStore', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test.each(storeTests(() => redisStore(redis.client)))('$name', ({ run }) =>
    expect(run()).resolves.toBeUndefined(),
  );

  test('hashes user ids in its keys, and everything but the owners expires', async () => {
    const store = redisStore(redis.client, { prefix: 'app' });
    const user = 'ann@example.com';
    const limits = { windowMs: 60_000, usd: 1 };
    const id = { user, request: 'r1', key: 'k', isChargedOnce: true, body: '' };
    await store.reserve({ ...id, attempt: 'a', limits, usd: 0.5, leaseMs: 60_000 });
    await store.reserve({ ...id, request: 'r2', key: 'l', limits, usd: 0.5, leaseMs: 60_000 });
    const paid = {
      as: 'charged',
      usd: 0.5,
      isEstimate: false,
      replay: false,
      isStreaming: false,
    } as const;
    await store.settle({ ...id, ...paid, windowMs: 60_000 });
    await store.own(user, ['task_1']);
    const keys = await redis.client.keys('app:*');
    expect(keys).toHaveLength(5);
    expect(keys.join()).not.toContain('ann');
    for (const key of keys) {
      const ttl = await redis.client.ttl(key);
      expect([key, ttl > 0]).toEqual([key, key !== 'app:owners']);
    }
  });

  test('counts in a window without an end', async () => {
    const store = redisStore(redis.client);
    const windowMs = 8_640_000_000_000_000;
    const id = { user: 'endless', request: 'r1', key: 'k', isChargedOnce: true, body: '' };
    await store.reserve({ ...id, limits: { windowMs }, usd: 0.5, leaseMs: 60_000 });
    const paid = { as: 'charged', usd: 0.5, isEstimate: false, replay: false } as const;
    await store.settle({ ...id, ...paid, windowMs, isStreaming: false });
    const usage = await store.usage('endless', windowMs);
    expect(usage).toMatchObject({ usd: 0.5, requests: 1, windowEndsAt: windowMs });
  });

  test('a window that began in the future, because the clock was wrong, ends with the current one', async () => {
    const store = redisStore(redis.client, { prefix: 'future' });
    const windowMs = 86_400_000;
    const id = { user: 'ann', request: 'r1', isChargedOnce: true, body: '' };
    await store.reserve({ ...id, limits: { windowMs }, usd: 0.5, leaseMs: 60_000 });
    const now = await store.usage('ann', windowMs);
    const [key = ''] = await redis.client.keys('future:*');
    const state = JSON.parse((await redis.client.get(key)) ?? '');
    state.windows[windowMs].start += 100 * windowMs;
    await redis.client.set(key, JSON.stringify(state));
    expect(await store.usage('ann', windowMs)).toEqual(now);
  });

  test('loses nothing when Redis is killed and restarted', async () => {
    await using own = await startRedis();
    const store = redisStore(own.client);
    const id = { user: 'ann', request: 'r1', isChargedOnce: true, body: '' };
    const limits = { windowMs: 1e12 };
    await store.reserve({ ...id, limits, usd: 0.5, leaseMs: 60_000 });
    await store.own('ann', ['task_1']);
    await own.kill();
    own.restart();
    expect(await store.usage('ann', 1e12)).toMatchObject({ reservedUsd: 0.5, inFlight: 1 });
    expect(await store.ownersOf(['task_1'])).toEqual(['ann']);
  });

  test('rejects a client of another library, and unknown options', () => {
    expect(() => redisStore({} as never)).toThrow(/^redis: /);
    expect(() => redisStore(redis.client, { prefx: 'a' } as never)).toThrow(/prefix/);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { isRedisInstalled, startRedis } from '../../integrations/bullmq/redis-server.ts';
import { setUp, until } from '../../integrations/bullmq/setup.ts';
import { addressOf } from '../../tools/doctor/diagnosed-mock.ts';

describe.skipIf(!isRedisInstalled)('a worker that is closed while Redis is unreachable', () => {
  test('sends nothing when Redis admits its row later; another worker does', async () => {
    await using redis = await startRedis();
    let showPrice = () => {};
    const isPriceKnown = new Promise<void>((resolve) => {
      showPrice = resolve;
    });
    let isPriceRequested = false;
    await using all = await setUp(redis.url, {
      queue: { maxUsd: 1 },
      client: {
        fetch: async (input, init) => {
          if (init?.method === 'GET' && addressOf(input).includes('/v1/models')) {
            isPriceRequested = true;
            await isPriceKnown;
          }
          return fetch(input, init);
        },
      },
    });
    const { queue, posts } = all;
    await queue.add('a', all.picture('a'));
    const worker = queue.work();
    await until(() => isPriceRequested).toBe(true);
    redis.freeze();
    await worker.close();
    showPrice();
    await sleep(500);
    redis.unfreeze();
    await until(async () => (await queue.get('a'))?.error?.message).toBe(
      'The worker was closed before the row was sent.',
    );
    expect(await queue.get('a')).toMatchObject({
      status: 'waiting',
      error: { outcome: 'not-sent' },
    });
    expect(posts()).toBe(0);
    // In nano-USD: what the row had reserved is free again.
    expect(await redis.client.hget(`${all.prefix}:pictures:polygate:spend`, 'reserved')).toBe('0');
    all.open().work();
    expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
    expect(all.mock.invoice).toHaveLength(1);
  });
});

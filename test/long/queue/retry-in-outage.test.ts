import { ConfigurationError, ConnectionError } from 'polygate';
import { describe, expect, test } from 'vitest';

import { isRedisInstalled, startRedis } from '../../integrations/bullmq/redis-server.ts';
import { setUp, until } from '../../integrations/bullmq/setup.ts';
import { rejection } from '../../support/rejection.ts';

describe.skipIf(!isRedisInstalled)('a retry that an outage of Redis has cut off', () => {
  test('is not made a second time by the repeated call', async () => {
    await using redis = await startRedis();
    await using all = await setUp(redis.url, {
      mock: { tasks: { durationMs: 0, outcome: 'failed' } },
    });
    const { queue, posts } = all;
    queue.work();
    await queue.add('a', all.picture('a'));
    expect(await queue.result('a')).toMatchObject({ status: 'failed' });
    await until(async () => redis.client.zcard(`${all.prefix}:pictures:failed`)).toBe(1);
    redis.freeze();
    await rejection(ConnectionError, queue.retry('a', { anew: true }));
    redis.unfreeze();
    await until(posts).toBe(2);
    expect(await queue.result('a')).toMatchObject({ status: 'failed' });
    await until(async () => redis.client.zcard(`${all.prefix}:pictures:failed`)).toBe(1);
    const error = await rejection(ConfigurationError, queue.retry('a', { anew: true }));
    expect(error.message).toContain('was retried by another call');
    expect(posts()).toBe(2);
    // The caller knows of the second failure now.
    await queue.retry('a', { anew: true });
    await until(posts).toBe(3);
  });
});

import { afterAll, beforeAll, describe } from 'vitest';

import { isRedisInstalled, startRedis } from '../integrations/bullmq/redis-server.ts';
import type { RedisServer } from '../integrations/bullmq/redis-server.ts';
import { queueIn } from './queue.ts';
import { testLife } from './suite.ts';

/** Plays random sequences to a queue in a Redis of its own. */
export function testQueueLife(count: number): void {
  describe.runIf(isRedisInstalled)('with Redis', () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis[Symbol.asyncDispose]());

    testLife(
      queueIn(() => redis.url),
      count,
    );
  });
}

import { afterAll, beforeAll, describe } from 'vitest';

import { isRedisInstalled, startRedis } from '../integrations/bullmq/redis-server.ts';
import type { RedisServer } from '../integrations/bullmq/redis-server.ts';
import { chatQueueIn, queueIn } from './queue.ts';
import { testLife, testSequence } from './suite.ts';

/** Plays random sequences to a queue in a Redis of its own. */
export function testQueueLife(count: number): void {
  describe.runIf(isRedisInstalled)('with Redis', () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis[Symbol.asyncDispose]());

    const tasks = queueIn(() => redis.url);
    testLife(tasks, count);
    testLife(
      chatQueueIn(() => redis.url),
      Math.ceil(count / 3),
    );
    testSequence(tasks, 'a worker that has lost its job does not end the row of the next one', [
      { fate: 'invalid', isSlow: true },
      { fate: 'accepted', isSlow: true },
    ]);
  });
}

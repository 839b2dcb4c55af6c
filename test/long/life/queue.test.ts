/** As `test/life`, with more random sequences. */
import { afterAll, beforeAll, describe } from 'vitest';

import { isRedisInstalled, startRedis } from '../../integrations/bullmq/redis-server.ts';
import type { RedisServer } from '../../integrations/bullmq/redis-server.ts';
import { queueIn } from '../../life/queue.ts';
import { testLife } from '../../life/suite.ts';

describe.runIf(isRedisInstalled)('with Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  testLife(
    queueIn(() => redis.url),
    2_000,
  );
});

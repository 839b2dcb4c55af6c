/** The books that are in Redis: see `books.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isRedisInstalled, startRedis } from '../integrations/bullmq/redis-server.ts';
import type { RedisServer } from '../integrations/bullmq/redis-server.ts';
import { run } from './check.ts';
import { proxyOn, queueOn } from './queue.ts';
import { regressions } from './regressions.ts';
import { scenario } from './scenarios.ts';
import { testRandomly, testRegressions } from './suite.ts';

describe.skipIf(!isRedisInstalled)('books in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  testRandomly([proxyOn(() => redis)], 300);

  testRegressions([proxyOn(() => redis)]);

  test('the proxy counts a charge that is reported after a failover (0.06 of 0.05)', async () => {
    const given = scenario(0.05, [[{ isHeld: true }], [], [{}], [{}], [{}]]);
    const steps = given.steps.map((step, index) => ({ ...step, startsAnew: index === 1 }));
    const moments = await run(
      proxyOn(() => redis, true),
      { ...given, steps },
    );
    expect(moments.at(-1)).toMatchObject({ spentUsd: 0.04, arrived: 2 });
  });

  // A queue waits for seconds before it sends a lost request again: see `test/long/books-redis.test.ts`.
  const quick = regressions.filter(({ title }) => /twice|removed/.test(title));
  testRegressions([queueOn(() => redis)], quick);
});

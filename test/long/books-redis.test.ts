/** As `test/books/redis.test.ts`, with more random requests, and a queue that sends lost requests again. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { run } from '../books/check.ts';
import { proxyOn, queueOn } from '../books/queue.ts';
import { regressions } from '../books/regressions.ts';
import { scenariosBy, sequences } from '../books/scenarios.ts';
import { seed, testRandomly, times } from '../books/suite.ts';
import { isRedisInstalled, startRedis } from '../integrations/bullmq/redis-server.ts';
import type { RedisServer } from '../integrations/bullmq/redis-server.ts';

describe.skipIf(!isRedisInstalled)('books in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  testRandomly([proxyOn(() => redis)], 5_000);

  // A queue mostly waits, so that many run at the same time.
  const given = [
    ...regressions.map(({ title, scenario }) => [title, scenario] as const),
    ...[...Object.values(scenariosBy), sequences].flatMap((arbitrary) =>
      fc
        .sample(arbitrary, { seed, numRuns: 8 * times })
        .map((each, index) => [`random ${index}`, each] as const),
    ),
  ];

  test.concurrent.each(given)(`the queue (POLYGATE_SEED=${seed}): %s`, async (_, scenario) => {
    await expect(
      run(
        queueOn(() => redis),
        scenario,
      ),
    ).resolves.toBeDefined();
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';

import { describeWithRedis, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp } from './setup.ts';

describeWithRedis('a queue', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test('rows are submitted once', async () => {
    await using all = await setUp(redis.url);
    const { queue, mock, describeRow } = all;
    const ids = Array.from({ length: 30 }, (_, n) => `row ${n}`);
    const results = queue.results();
    await queue.addBulk(ids, describeRow);
    expect(await queue.count()).toMatchObject({ waiting: 30 });
    const start = performance.now();
    queue.work();
    const seen: string[] = [];
    for await (const row of results) {
      seen.push(row.id);
      expect(row.status).toBe('succeeded');
      if (seen.length === 30) break;
    }
    console.log(performance.now() - start);
    expect(mock.invoice).toHaveLength(30);
    console.log(await queue.count(), await queue.get('row 3'));
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import recorded from './fixtures/rows-0.3.json' with { type: 'json' };
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp } from './setup.ts';

/** The value of a key as the fixture has it: a hash, a list, a sorted set or a text. */
type Value = string | Record<string, string | string[] | undefined>;

describe.skipIf(!isRedisInstalled)('a queue of version 0.3', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  /** Writes the keys of the queue, and gives the gateway its tasks. */
  async function afterUpdate({ prefix, gateway }: Awaited<ReturnType<typeof setUp>>) {
    let text = JSON.stringify(recorded);
    for (const id of ['succeeded', 'running', 'lost', 'killed'] as const) {
      const { key } = JSON.parse(recorded[`row-${id}`].data);
      const task = await gateway.images.submit(
        { model: 'prism-image', prompt: `Harbor ${id}` },
        { idempotencyKey: key },
      );
      const row: Record<string, string> = recorded[`row-${id}`];
      const known = JSON.parse(row['pg:state'] ?? '{}').receipt?.id ?? 'no task';
      text = text.replaceAll(known, task.id);
    }
    const keys: Record<string, Value> = JSON.parse(text);
    for (const [name, value] of Object.entries(keys)) {
      const key = `${prefix}:pictures:${name}`;
      if (typeof value === 'string') await redis.client.set(key, value);
      else if (Array.isArray(value.list)) await redis.client.rpush(key, ...value.list);
      else if (Array.isArray(value.zset)) {
        const { zset } = value;
        const pairs = zset.flatMap((member, index) =>
          index % 2 === 0 ? [Number(zset[index + 1]), member] : [],
        );
        await redis.client.zadd(key, ...pairs);
      } else await redis.client.hset(key, value);
    }
  }

  test('is continued: each row under its key or with its task, and no lost chat is sent again', async () => {
    await using all = await setUp(redis.url);
    const { queue, mock } = all;
    await afterUpdate(all);
    const posts = all.posts();
    expect(mock.invoice).toHaveLength(4);
    for (const [id, status] of [
      ['succeeded', 'succeeded'],
      ['completed', 'succeeded'],
      ['failed', 'failed'],
      ['lost-chat', 'unknown'],
    ] as const) {
      expect(await queue.result(id)).toMatchObject({ status });
    }
    queue.work();
    for (const id of ['running', 'lost', 'killed']) {
      expect(await queue.result(id)).toMatchObject({ status: 'succeeded' });
    }
    expect(mock.invoice).toHaveLength(4);
    // Only what had no task.
    expect(all.posts() - posts).toBe(2);
  });
});

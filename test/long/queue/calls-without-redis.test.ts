import { Redis } from 'ioredis';
import { ConnectionError } from 'polygate';
import { describe, expect, test } from 'vitest';

import type { GenerationQueue } from '../../../src/integrations/bullmq/index.ts';
import { isRedisInstalled, startRedis } from '../../integrations/bullmq/redis-server.ts';
import { setUp, until } from '../../integrations/bullmq/setup.ts';
import { rejection } from '../../support/rejection.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `row ${index}`);

/** Expects that all calls reject. Returns the time in ms until the last one has. */
async function rejectAll(calls: (() => Promise<unknown>)[]): Promise<number> {
  const startedAt = performance.now();
  const errors = await Promise.all(calls.map((call) => rejection(ConnectionError, call())));
  for (const { message } of errors) expect(message).toMatch(/^Redis: .*no task is paid for twice/);
  return performance.now() - startedAt;
}

const callsOf = (queue: GenerationQueue, add: () => Promise<void>) => [
  add,
  () => queue.results().next(),
  () => queue.results({ from: 'start' }).next(),
  () => queue.get('a'),
  () => queue.result('a'),
  () => queue.count(),
  () => queue.retry('a'),
  () => queue.remove('a'),
  () => queue.pause(),
  () => queue.resume(),
  () => queue.obliterate(),
];

describe.skipIf(!isRedisInstalled).concurrent('without Redis', () => {
  test('calls reject within 20 s while Redis is unreachable', async () => {
    await using all = await setUp('redis://127.0.0.1:1');
    const { queue } = all;
    const add = () => queue.add('a', all.picture('a'));
    expect(await rejectAll(callsOf(queue, add))).toBeLessThan(20_000);
  });

  test('calls with a connection of the caller reject when it gives up', async () => {
    await using all = await setUp('redis://127.0.0.1:1');
    const connection = new Redis({ port: 1, maxRetriesPerRequest: 1, retryStrategy: () => 50 });
    connection.on('error', () => undefined);
    const queue = all.open({ connection });
    expect((await rejection(ConnectionError, queue.count())).message).toMatch(/^Redis: /);
    await queue.close();
    connection.disconnect();
  });

  test('close does not wait for an unreachable Redis', async () => {
    await using all = await setUp('redis://127.0.0.1:1');
    const worker = all.queue.work();
    const startedAt = performance.now();
    await all.queue.close();
    await worker.run;
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test('calls reject while Redis is frozen, and workers continue afterwards', async () => {
    await using redis = await startRedis();
    await using all = await setUp(redis.url);
    const { queue, mock } = all;
    queue.work();
    await queue.add('a', all.picture('a'));
    await queue.result('a');
    redis.freeze();
    const add = () => queue.add('b', all.picture('b'));
    expect(await rejectAll(callsOf(queue, add).slice(0, 7))).toBeLessThan(20_000);
    redis.unfreeze();
    await queue.add('b', all.picture('b'));
    expect(await queue.result('b')).toMatchObject({ status: 'succeeded' });
    expect(mock.invoice).toHaveLength(2);
  });

  test('results end after close, even if the connection of the caller waits for Redis', async () => {
    await using redis = await startRedis();
    await using all = await setUp(redis.url);
    const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
    const queue = all.open({ connection });
    const results = queue.results();
    const next = results.next();
    await queue.count();
    redis.freeze();
    // Longer than results wait for an announcement before they look again.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    await queue.close();
    expect(await next).toEqual({ value: undefined, done: true });
    redis.unfreeze();
    connection.disconnect();
  });

  test('rows, results and iterators survive restarts of Redis', async () => {
    // With the default, a crash can lose the last seconds if the disk is busy, and results are then yielded again.
    await using redis = await startRedis('--appendfsync', 'always');
    await using all = await setUp(redis.url, { mock: { latencyMs: 20 } });
    const { queue, mock } = all;
    const results = queue.results();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const row of results) seen.push(`${row.id} ${row.status}`);
    })();
    await queue.addBulk(numbered(40), all.describeRow);
    queue.work();
    for (const done of [5, 15]) {
      await until(() => seen.length).toBeGreaterThan(done);
      await redis.kill();
      await new Promise((resolve) => setTimeout(resolve, 300));
      redis.restart();
    }
    await until(() => seen.length).toBe(40);
    expect(seen.toSorted()).toEqual(
      numbered(40)
        .map((id) => `${id} succeeded`)
        .toSorted(),
    );
    mock.assertPaidOnce();
    expect(mock.invoice).toHaveLength(40);
    expect(await queue.count()).toMatchObject({ waiting: 0, running: 0, succeeded: 40 });
    await queue.close();
    await reading;
  });

  test('many rows can be added in one call, and removed', async () => {
    await using redis = await startRedis();
    await using all = await setUp(redis.url);
    const { queue, picture } = all;
    const submission = picture('x');
    await queue.addBulk(numbered(20_000), (id) => ({ id, submission }));
    expect(await queue.count()).toMatchObject({ waiting: 20_000 });
    await queue.obliterate();
    expect(await queue.count()).toMatchObject({ waiting: 0 });
  });
});

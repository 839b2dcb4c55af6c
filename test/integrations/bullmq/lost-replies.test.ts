import { once } from 'node:events';

import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { redisKeys } from '../../../src/integrations/bullmq/redis/keys.ts';
import { RowStore } from '../../../src/integrations/bullmq/redis/row-store.ts';
import { admit } from '../../../src/integrations/bullmq/redis/scripts/admit.ts';
import { remove, retry } from '../../../src/integrations/bullmq/redis/scripts/rows.ts';
import type { RowData } from '../../../src/integrations/bullmq/row.ts';
import { lossyRedis } from './lossy-redis.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';
import type { SetUpOptions } from './setup.ts';

const submits = 'POST /v1/images/tasks';
const messages = [{ role: 'user' as const, content: 'Hi' }];

describe.skipIf(!isRedisInstalled)('a connection that is lost before the reply', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
    // A script that is unknown is sent once more in any case.
    for (const { source } of [admit, remove, retry]) await redis.client.script('LOAD', source);
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  async function start(options?: SetUpOptions) {
    const lossy = await lossyRedis(redis.url);
    const all = await setUp(lossy.url, options);
    const dispose = async () => {
      await all[Symbol.asyncDispose]();
      await lossy[Symbol.asyncDispose]();
    };
    return { ...all, lossy, [Symbol.asyncDispose]: dispose };
  }

  test('to its admission does not end a chat that was never sent', async () => {
    await using all = await start();
    const { queue, mock, lossy } = all;
    lossy.loseReply(admit.hash);
    queue.work();
    const chat = all.gateway.chat.completions.submission({ model: 'aurora-chat', messages });
    await queue.add('a', chat);
    expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
    expect(lossy.losses()).toBe(1);
    expect(mock.invoice).toHaveLength(1);
  });

  test('to its admission does not make a task uncertain that is then rejected', async () => {
    await using all = await start({ queue: { maxUsd: 1 } });
    const { queue, mock, lossy } = all;
    mock.fail({ route: submits, status: 400, times: 1 });
    lossy.loseReply(admit.hash);
    queue.work();
    await queue.add('a', all.picture('a'));
    expect(await queue.result('a')).toMatchObject({
      status: 'failed',
      error: { outcome: 'rejected' },
    });
    expect(lossy.losses()).toBe(1);
    const spend = await redis.client.hgetall(`${all.prefix}:pictures:polygate:spend`);
    expect(spend).toEqual({ reserved: '0' });
  });

  test('to a retry does not make it fail, or retry the row twice', async () => {
    await using all = await start({
      mock: { tasks: { durationMs: 0, outcome: 'failed' } },
    });
    const { queue, mock, lossy } = all;
    const worker = queue.work();
    await queue.add('a', all.picture('a'));
    await queue.result('a');
    await worker.close();
    lossy.loseReply(retry.hash);
    await queue.retry('a', { anew: true });
    expect(lossy.losses()).toBe(1);
    queue.work();
    await until(async () => (await queue.get('a'))?.status).toBe('failed');
    expect(mock.tasks).toHaveLength(2);
  });

  test('to a removal does not make it fail', async () => {
    await using all = await start();
    const { queue, lossy } = all;
    await queue.add('a', all.picture('a'));
    lossy.loseReply(remove.hash);
    await queue.remove('a');
    expect(lossy.losses()).toBe(1);
    expect(await queue.get('a')).toBeUndefined();
  });

  test('while it is being restored does not leave a step waiting for the time', async () => {
    await using lossy = await lossyRedis(redis.url);
    const connection = new Redis(lossy.url).on('error', () => undefined);
    onTestFinished(() => connection.disconnect());
    const jobs = new Queue<RowData>('pictures', { connection: redis.client, prefix: 'times' });
    onTestFinished(() => jobs.close());
    const rows = new RowStore(
      connection,
      redisKeys(jobs, { prefix: 'times', baseURL: 'https://a.example' }),
    );
    await rows.now();
    // ioredis sends its name as soon as it is connected, before it is ready.
    lossy.loseReply('LIB-NAME');
    const time = once(connection, 'connect').then(() => rows.now());
    connection.disconnect(true);
    expect(await time).toBeGreaterThan(0);
    expect(lossy.losses()).toBe(1);
  });
});

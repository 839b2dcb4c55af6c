import { Redis, ReplyError } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { repeatInOutage } from '../../../src/integrations/bullmq/redis/connection.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';
import { warningsOf } from './warnings.ts';

describe('a change that fails and is repeated', () => {
  /** Makes a change that fails with these errors, and returns those that were observed. */
  async function observed(...errors: readonly Error[]) {
    const redis = new Redis({ lazyConnect: true });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const remaining = [...errors];
    const change = async () => {
      const error = remaining.shift();
      if (error) throw error;
      return 'made';
    };
    const calls: string[] = [];
    const observe = (kind: string) => (error: unknown) =>
      void calls.push(`${kind}: ${error instanceof Error ? error.message : ''}`);
    const made = repeatInOutage(redis, change, {
      onOutage: observe('outage'),
      onRejection: observe('rejection'),
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await made).toBe('made');
    return calls;
  }

  test.each([
    'LOADING Redis is loading the dataset in memory',
    "READONLY You can't write against a read only replica.",
    'ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed',
  ])('is in an outage after %s', async (message) => {
    expect(await observed(new ReplyError(message))).toEqual([`outage: ${message}`]);
  });

  test.each(['WRONGTYPE Operation against a key', 'ERR user_script:1: no row', 'NOPERM no'])(
    'was rejected after %s',
    async (message) => {
      expect(await observed(new ReplyError(message))).toEqual([`rejection: ${message}`]);
    },
  );

  test('reports each kind of failure once', async () => {
    const outage = new Error('Connection is closed.');
    const rejection = new ReplyError('WRONGTYPE');
    expect(await observed(outage, outage, rejection, outage, rejection)).toEqual([
      'outage: Connection is closed.',
      'rejection: WRONGTYPE',
    ]);
  });
});

describe.skipIf(!isRedisInstalled)('a command that Redis rejects', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test('before a submission is logged at once, and repeated', async () => {
    const { warnings, ...client } = warningsOf();
    await using all = await setUp(redis.url, { client, queue: { maxUsd: 1 } });
    const { queue, prefix } = all;
    const spend = `${prefix}:pictures:polygate:spend`;
    await queue.add('a', all.picture('a'));
    await redis.client.set(spend, 'text');
    queue.work();
    await until(() => warnings.length).toBe(1);
    expect(warnings).toEqual([
      expect.stringMatching(
        /row a: Redis has rejected a command, so the row is submitted later\. ReplyError: WRONGTYPE/,
      ),
    ]);
    await redis.client.del(spend);
    expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
    expect(warnings).toHaveLength(1);
  });
});

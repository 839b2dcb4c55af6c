import { ConfigurationError } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { rejection } from '../../support/rejection.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';
import { warningsOf } from './warnings.ts';

describe.skipIf(!isRedisInstalled)('a row that a newer version has written', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test.each([
    ['pg:status', 'on hold', /row a: has the status "on hold", which this version does not know/],
    ['pg:status', 'running', /row a: is running without a task/],
    ['pg:state', '[]', /row a: has no readable state/],
  ])('with %s %s is not sent, and does not hold up others', async (field, value, text) => {
    const { warnings, ...client } = warningsOf();
    await using all = await setUp(redis.url, { client });
    const { queue, mock } = all;
    await queue.add('a', all.picture('a'));
    await redis.client.hset(`${all.prefix}:pictures:row-a`, field, value);
    for (const call of [() => queue.get('a'), () => queue.result('a'), () => queue.retry('a')]) {
      expect((await rejection(ConfigurationError, call())).message).toMatch(text);
    }
    queue.work();
    await queue.addBulk(['a', 'b'], all.describeRow);
    expect(await queue.result('b')).toMatchObject({ status: 'succeeded' });
    await until(() => warnings.some((line) => text.test(line))).toBe(true);
    expect(mock.tasks.map(({ prompt }) => prompt)).toEqual(['b']);
  });

  test('ends an iteration with an error, so that its result is not left out', async () => {
    await using all = await setUp(redis.url);
    const { queue } = all;
    queue.work();
    await queue.add('a', all.picture('a'));
    await queue.result('a');
    await redis.client.hset(`${all.prefix}:pictures:row-a`, 'pg:status', 'archived');
    const error = await rejection(ConfigurationError, queue.results({ from: 'start' }).next());
    expect(error.message).toContain('has the status "archived"');
  });
});

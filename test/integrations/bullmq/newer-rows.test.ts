import { ConfigurationError } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { rejection } from '../../support/rejection.ts';
import { holdResponses } from './held-fetch.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { loseJob, setUp, until } from './setup.ts';
import { warningsOf } from './warnings.ts';

describe.skipIf(!isRedisInstalled)(
  'a row that a newer version has written, or that is damaged,',
  () => {
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

    test.each([
      ['pg:status', undefined, /has lost its status/],
      ['pg:turn', 'x', /has no readable turn/],
      ['pg:turn', '', /has no readable turn/],
      ['pg:state', undefined, /has lost its state/],
      ['pg:state', '{', /has no readable state/],
      ['pg:state', '{}', /has lost its result/],
      ['data', undefined, /has lost what it submits/],
      ['data', '{', /has lost what it submits/],
      ['timestamp', undefined, /has lost what it submits/],
    ])('with %s %s has not lost its result silently', async (field, value, text) => {
      await using all = await setUp(redis.url);
      const { queue } = all;
      queue.work();
      await queue.add('a', all.picture('a'));
      await queue.result('a');
      const key = `${all.prefix}:pictures:row-a`;
      const { client } = redis;
      await (value === undefined ? client.hdel(key, field) : client.hset(key, field, value));
      for (const call of [() => queue.get('a'), () => queue.result('a'), () => queue.remove('a')]) {
        expect((await rejection(ConfigurationError, call())).message).toMatch(text);
      }
    });

    test('is not sent again as a chat that has lost its status', async () => {
      const { fetch, release } = holdResponses();
      const { warnings, ...logging } = warningsOf();
      await using all = await setUp(redis.url, { client: { fetch, ...logging } });
      const { queue, gateway } = all;
      const messages = [{ role: 'user' as const, content: 'Label this.' }];
      queue.work();
      await queue.add('a', gateway.chat.completions.submission({ model: 'aurora-chat', messages }));
      await until(all.posts).toBe(1);
      await redis.client.hdel(`${all.prefix}:pictures:row-a`, 'pg:status');
      await loseJob(redis.client, all.prefix);
      await until(() => warnings.some((line) => /has lost its status/.test(line))).toBe(true);
      release();
      expect(all.posts()).toBe(1);
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
  },
);

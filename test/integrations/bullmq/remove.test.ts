import { Cluster, Redis } from 'ioredis';
import { ConfigurationError } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { GenerationQueue } from '../../../src/integrations/bullmq/index.ts';
import type { EndedRow } from '../../../src/integrations/bullmq/index.ts';
import { rejection } from '../../support/rejection.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';
import type { SetUpOptions } from './setup.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `row ${index}`);

/** The next rows of an iterator. */
async function take(rows: AsyncGenerator<EndedRow>, count: number): Promise<EndedRow[]> {
  const taken: EndedRow[] = [];
  while (taken.length < count) {
    const { value, done } = await rows.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

describe.skipIf(!isRedisInstalled).concurrent('what a queue keeps', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const start = (options?: SetUpOptions) => setUp(redis.url, options);

  describe('remove', () => {
    test('rejects while the row is running', async () => {
      await using all = await start({ mock: { clock: 'virtual', tasks: { durationMs: 1 } } });
      const { queue, mock } = all;
      queue.work();
      await queue.add('a', all.picture('a'));
      await until(async () => (await queue.get('a'))?.status).toBe('running');
      const error = await rejection(ConfigurationError, queue.remove('a'));
      expect(error.message).toContain('is submitting or running');
      await mock.clock.advance(1);
      await queue.result('a');
      await queue.remove('a');
      expect(await queue.get('a')).toBeUndefined();
      await rejection(ConfigurationError, queue.result('a'));
      await queue.remove('a');
    });

    test('a row that was removed and added again is replayed free of charge', async () => {
      await using all = await start({ queue: { maxUsd: 0.05 } });
      const { queue, mock } = all;
      queue.work();
      for (let round = 0; round < 3; round += 1) {
        await queue.add('a', all.picture('a'));
        expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
        await queue.remove('a');
      }
      expect(mock.invoice).toHaveLength(1);
      expect(queue.paused).toBeUndefined();
      const spend = await redis.client.hgetall(`${all.prefix}:pictures:polygate:spend`);
      expect(spend).toEqual({ spent: '20000000', reserved: '0' });
    });

    test('a row that was paid, and whose retry under its key lost its response, is spent once', async () => {
      const firstFails = ({ number }: { number: number }) =>
        number === 1 ? 'failed' : 'succeeded';
      await using all = await start({
        mock: { tasks: { durationMs: 0, outcome: firstFails } },
        queue: { maxUsd: 0.05, attempts: 1 },
      });
      const { queue, mock } = all;
      queue.work();
      await queue.add('a', all.picture('a'));
      expect(await queue.result('a')).toMatchObject({ status: 'failed' });
      mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
      await queue.retry('a');
      await until(async () => (await queue.get('a'))?.status).toBe('unknown');
      await queue.remove('a');
      await queue.add('b', all.picture('b'));
      await until(async () => queue.paused ?? (await queue.get('b'))?.status).toBe('succeeded');
      expect(mock.invoice.filter(({ usd }) => usd > 0)).toHaveLength(2);
    });

    test('a retry whose key the service has forgotten is another charge, and the budget counts both', async () => {
      let isForgotten = false;
      const forgetful: typeof fetch = (input, init) => {
        const headers = new Headers(init?.headers);
        const key = headers.get('x-idempotency-key');
        if (isForgotten && key) headers.set('x-idempotency-key', `${key}-2`);
        return fetch(input, { ...init, headers });
      };
      await using all = await start({
        mock: { tasks: { durationMs: 0, outcome: 'failed' } },
        client: { fetch: forgetful },
        queue: { maxUsd: 1 },
      });
      const { queue, mock } = all;
      queue.work();
      await queue.add('a', all.picture('a'));
      await queue.result('a');
      const spent = () => redis.client.hgetall(`${all.prefix}:pictures:polygate:spend`);
      for (const [forgets, total] of [
        [false, '20000000'],
        [true, '40000000'],
      ] as const) {
        isForgotten = forgets;
        const posts = all.posts();
        await queue.retry('a');
        await until(all.posts).toBe(posts + 1);
        expect(await queue.result('a')).toMatchObject({ status: 'failed' });
        expect(await spent()).toEqual({ spent: total, reserved: '0' });
      }
      expect(mock.invoice.filter(({ usd }) => usd > 0)).toHaveLength(2);
    });

    test('an id that is removed and added with other params is another task', async () => {
      await using all = await start();
      const { queue, mock } = all;
      queue.work();
      const urls: (string | undefined)[] = [];
      for (const prompt of ['old', 'new', 'old']) {
        await queue.add('a', all.picture(prompt));
        urls.push((await queue.result('a')).generation?.urls[0]);
        await queue.remove('a');
      }
      expect(mock.tasks.map(({ prompt }) => prompt)).toEqual(['old', 'new']);
      expect(mock.invoice).toHaveLength(2);
      expect(urls[0]).toBe(urls[2]);
      expect(urls[0]).not.toBe(urls[1]);
    });

    test('after obliterate, the ids of earlier rows can be used for others', async () => {
      await using all = await start();
      const { queue, mock } = all;
      for (const campaign of ['spring', 'summer']) {
        const worker = queue.work();
        await queue.addBulk(numbered(3), (id) => ({
          id,
          submission: all.picture(`${campaign} ${id}`),
        }));
        await Promise.all(numbered(3).map((id) => queue.result(id)));
        await worker.close();
        await queue.obliterate();
      }
      expect(mock.invoice).toHaveLength(6);
      expect(new Set(mock.tasks.map(({ prompt }) => prompt)).size).toBe(6);
    });

    test('a row that is replaced while a worker waits for its price is sent with the new params', async () => {
      let open = () => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      let lookUps = 0;
      const slow: typeof fetch = async (...request) => {
        if (new Request(...request).method === 'GET') {
          lookUps += 1;
          await gate;
        }
        return fetch(...request);
      };
      await using all = await start({ client: { fetch: slow }, queue: { maxUsd: 1 } });
      const { queue, mock } = all;
      await queue.add('a', all.picture('old'));
      queue.work();
      await until(() => lookUps).toBe(1);
      await queue.remove('a');
      await queue.add('a', all.picture('new'));
      open();
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
      const sent = mock.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
      expect(sent).toEqual([expect.objectContaining({ prompt: 'new' })]);
    });

    test('a waiting row that is removed is never sent', async () => {
      await using all = await start();
      const { queue } = all;
      await queue.addBulk(['a', 'b'], all.describeRow);
      await queue.remove('a');
      queue.work();
      await queue.result('b');
      expect(all.mock.tasks.map(({ prompt }) => prompt)).toEqual(['b']);
      expect(await queue.count()).toMatchObject({ waiting: 0, succeeded: 1 });
    });

    test('obliterate removes everything except the slots of the account', async () => {
      await using all = await start();
      const { queue } = all;
      const worker = queue.work();
      await queue.addBulk(numbered(5), all.describeRow);
      await Promise.all(numbered(5).map((id) => queue.result(id)));
      await worker.close();
      await queue.obliterate();
      const zero = { waiting: 0, submitting: 0, running: 0, succeeded: 0, failed: 0, unknown: 0 };
      expect(await queue.count()).toEqual(zero);
      const keys = await redis.client.keys(`${all.prefix}:pictures:*`);
      expect(keys).toEqual([]);
      const results = queue.results();
      await queue.add('again', all.picture('again'));
      queue.work();
      expect(await take(results, 1)).toMatchObject([{ id: 'again', status: 'succeeded' }]);
    });
  });

  describe('what Redis holds', () => {
    test('the API key is nowhere, and params and results are', async () => {
      await using all = await start({
        mock: {
          tasks: {
            durationMs: 0,
            outcome: ({ number }) => (number === 1 ? 'failed' : 'succeeded'),
          },
        },
      });
      const { queue, mock } = all;
      queue.work();
      mock.fail({ route: 'POST /v1/images/tasks', status: 403, times: 1 });
      await queue.addBulk(numbered(4), all.describeRow);
      await Promise.all(numbered(4).map((id) => queue.result(id)));
      const texts: string[] = [];
      for (const key of await redis.client.keys('*')) {
        const type = await redis.client.type(key);
        const value =
          type === 'hash'
            ? await redis.client.hgetall(key)
            : type === 'zset'
              ? await redis.client.zrange(key, 0, -1)
              : type === 'list'
                ? await redis.client.lrange(key, 0, -1)
                : type === 'set'
                  ? await redis.client.smembers(key)
                  : type === 'stream'
                    ? await redis.client.xrange(key, '-', '+')
                    : type === 'string' && (await redis.client.get(key));
        texts.push(key, JSON.stringify(value));
      }
      const text = texts.join('\n');
      expect(text.includes(mock.apiKey)).toBe(false);
      expect(text.includes('row 3') && text.includes('PermissionDeniedError')).toBe(true);
    });
  });

  describe('options', () => {
    test('invalid ones are rejected', async () => {
      await using all = await start();
      const { gateway } = all;
      const connection = { url: redis.url };
      const cluster = new Cluster([{ port: 1 }], { lazyConnect: true });
      const nodeRedis = { connect: () => undefined, duplicate: () => undefined };
      const cases: [string, object, RegExp][] = [
        ['', { gateway, connection }, /name: must be a non-empty string/],
        ['a:b', { gateway, connection }, /name: must be .* without a colon/],
        ['a', { connection }, /gateway: must be a Polygate/],
        ['a', { gateway: {}, connection }, /gateway: must be a Polygate/],
        ['a', { gateway }, /connection: must be options such as \{ url: 'redis:/],
        ['a', { gateway, connection: redis.url }, /connection: must be options such as \{ url/],
        ['a', { gateway, connection: cluster }, /connection: is a Cluster.* one server.* braces/],
        ['a', { gateway, connection: nodeRedis }, /connection: is a client of another library/],
        ['a', { gateway, connection, maxUsd: -1 }, /maxUsd/],
        ['a', { gateway, connection, attempts: 0 }, /attempts/],
        ['a', { gateway, connection, waitTimeot: 1 }, /waitTimeot.*waitTimeout/],
        ['a', { gateway, connection: { ...connection, keyPrefix: 'x' } }, /keyPrefix/],
      ];
      for (const [name, options, message] of cases) {
        expect(() => new GenerationQueue(name, options as never)).toThrow(message);
        expect(() => new GenerationQueue(name, options as never)).toThrow(ConfigurationError);
      }
    });

    test('a connection of the caller stays open, even one of another copy of ioredis', async () => {
      await using all = await start();
      const own = new Redis(redis.url, { maxRetriesPerRequest: null });
      // Not an instance of this copy's class.
      const foreign = new Proxy(own, { getPrototypeOf: () => Object.prototype });
      for (const connection of [own, foreign]) {
        const queue = all.open({ connection });
        const worker = queue.work();
        await queue.add('a', all.picture('a'));
        await queue.result('a');
        await worker.close();
        await queue.close();
        expect(await connection.ping()).toBe('PONG');
      }
      own.disconnect();
    });

    test('a connection with the default options of ioredis works', async () => {
      await using all = await start();
      const connection = new Redis(redis.url, { lazyConnect: true });
      const queue = all.open({ connection });
      queue.work();
      await queue.add('a', all.picture('a'));
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
      await queue.close();
      connection.disconnect();
    });
  });
});

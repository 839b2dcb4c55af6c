import { Redis } from 'ioredis';
import { ConfigurationError, ConflictError } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { GenerationQueue } from '../../src/bullmq/index.ts';
import type { EndedRow } from '../../src/bullmq/index.ts';
import { rejection } from '../support/rejection.ts';
import { describeWithRedis, startRedis } from './redis-server.ts';
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

describeWithRedis.concurrent('a queue', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const start = (options?: SetUpOptions) => setUp(redis.url, options);

  test('submits every row once and yields it once', async () => {
    await using all = await start();
    const { queue, mock } = all;
    const results = queue.results();
    await queue.addBulk(numbered(30), all.describeRow);
    expect(await queue.count()).toMatchObject({ waiting: 30, succeeded: 0 });
    queue.work();
    all.open().work();
    const rows = await take(results, 30);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(numbered(30).toSorted());
    for (const row of rows) {
      expect(row.status).toBe('succeeded');
      expect(row.generation?.createdAt).toBeInstanceOf(Date);
      expect(row.generation?.urls[0]).toMatch(/^http/);
      expect(row.receipt?.idempotencyKey).toBe(row.idempotencyKey);
    }
    mock.assertPaidOnce();
    expect(mock.invoice).toHaveLength(30);
    expect(mock.peakInFlight).toBeLessThanOrEqual(8);
    expect(await queue.count()).toMatchObject({ waiting: 0, succeeded: 30 });
  });

  describe('add', () => {
    test('adding a row again changes nothing, whatever the order of its keys', async () => {
      await using all = await start();
      const { queue, gateway } = all;
      const submission = (params: object) =>
        gateway.images.submission({ model: 'prism-image', prompt: 'x', ...params });
      await queue.add('a', submission({ size: '1024x1024', n: 1 }));
      await queue.add('a', submission({ n: 1, size: '1024x1024' }));
      expect(await queue.count()).toMatchObject({ waiting: 1 });
      queue.work();
      await queue.result('a');
      await queue.add('a', submission({ size: '1024x1024', n: 1 }));
      expect(await queue.count()).toMatchObject({ succeeded: 1 });
      expect(all.mock.invoice).toHaveLength(1);
    });

    test('the same id with other params is a conflict, and nothing is sent', async () => {
      await using all = await start();
      const { queue, picture } = all;
      await queue.add('a', picture('one'));
      const error = await rejection(ConflictError, queue.add('a', picture('two')));
      expect(error).toMatchObject({ code: 'row_conflict', outcome: 'not-sent', ids: ['a'] });
      expect(error.message).toContain('Nothing was sent for them');
      queue.work();
      await queue.result('a');
      expect(all.mock.tasks.map(({ prompt }) => prompt)).toEqual(['one']);
      await rejection(ConflictError, queue.add('a', picture('two')));
    });

    test('addBulk adds every row it can and lists all conflicts', async () => {
      await using all = await start();
      const { queue, picture } = all;
      await queue.add('old', picture('old'));
      const rows = ['a', 'old', 'b', 'a', 'b', 'c'].map((id, index) => ({ id, index }));
      const prompts: Record<string, string> = { old: 'new', a: 'a' };
      const added = queue.addBulk(rows, ({ id, index }) => ({
        id,
        submission: picture(prompts[id] ?? `${id} ${index}`),
      }));
      expect(await rejection(ConflictError, added)).toMatchObject({ ids: ['old', 'b'] });
      expect(await queue.count()).toMatchObject({ waiting: 4 });
      expect(await queue.get('c')).toMatchObject({ status: 'waiting' });
    });

    test('conflicts are found across groups, and inputs can be a stream', async () => {
      await using all = await start();
      const { queue, picture } = all;
      async function* inputs() {
        for (let index = 0; index < 1_201; index += 1) yield index;
      }
      const added = queue.addBulk(inputs(), (index) => ({
        id: `row ${index % 1_200}`,
        submission: picture(`${index}`),
      }));
      expect(await rejection(ConflictError, added)).toMatchObject({ ids: ['row 0'] });
      expect(await queue.count()).toMatchObject({ waiting: 1_200 });
    });

    test('an invalid row is a ConfigurationError, and the rows before it are added', async () => {
      await using all = await start();
      const { queue, picture } = all;
      const invalid: [() => unknown, RegExp][] = [
        [() => ({ id: '', submission: picture('x') }), /id: must be a non-empty string/],
        [() => ({ id: 7, submission: picture('x') }), /id: must be a non-empty string/],
        [() => ({ id: 'x', submission: {} }), /submission: must be an object with/],
        [() => ({ id: 'x' }), /submission: must be/],
        [() => undefined, /id: must be/],
        [() => ({ id: 'x', submission: all.gateway.images.submission({} as never) }), /model/],
        [
          () => {
            throw new Error('no such file');
          },
          /no such file/,
        ],
      ];
      for (const [index, [describeRow, message]] of invalid.entries()) {
        const added = queue.addBulk([`good ${index}`, 'bad'], (id) =>
          id === 'bad' ? (describeRow() as never) : all.describeRow(id),
        );
        const error = await rejection(ConfigurationError, added);
        expect(error.message).toMatch(message);
        expect(error.message).toContain('rows[1]: ');
        expect(error.message).toContain('The rows before it were added');
      }
      await rejection(ConfigurationError, queue.add('', picture('x')));
      expect(await queue.count()).toMatchObject({ waiting: invalid.length });
      expect(all.mock.requests).toEqual([]);
    });

    test('ids may be any non-empty string', async () => {
      await using all = await start();
      const { queue } = all;
      const ids = [
        '1',
        '0',
        '1:2',
        'a b',
        'a%20b',
        '😀',
        '\ud800',
        '\udc00',
        '%ud800',
        '../x',
        '\0\n',
        'é'.repeat(3_000),
      ];
      const results = queue.results();
      await queue.addBulk(ids, (id) => ({ id, submission: all.picture('x') }));
      queue.work();
      const rows = await take(results, ids.length);
      expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      for (const id of ids) expect(await queue.get(id)).toMatchObject({ id, status: 'succeeded' });
      expect(all.mock.invoice).toHaveLength(ids.length);
    });

    test('the key is derived from prefix, queue and id; a key of the submission wins', async () => {
      await using all = await start();
      const { queue, gateway, picture } = all;
      await queue.add('a', picture('x'));
      const own = gateway.images.submission(
        { model: 'prism-image', prompt: 'x' },
        { idempotencyKey: 'my-key' },
      );
      await queue.add('b', own);
      const other = new GenerationQueue('others', {
        gateway,
        connection: { url: redis.url },
        prefix: all.prefix,
      });
      await other.add('a', picture('x'));
      const keys = [await queue.get('a'), await queue.get('b'), await other.get('a')].map(
        (row) => row?.idempotencyKey,
      );
      expect(keys[1]).toBe('my-key');
      expect(new Set(keys).size).toBe(3);
      await queue.remove('a');
      await queue.add('a', picture('y'));
      expect((await queue.get('a'))?.idempotencyKey).toBe(keys[0]);
      queue.work();
      await queue.result('b');
      expect(all.mock.tasks.some(({ idempotencyKey }) => idempotencyKey === 'my-key')).toBe(true);
      await other.close();
    });

    test('extraBody and all kinds of submissions are sent as they were described', async () => {
      await using all = await start();
      const { queue, gateway, mock } = all;
      const speech = { model: 'echo-speech', text: 'hello', voice: 'alloy' };
      const video = { model: 'tide-video', prompt: 'a', duration: 5 };
      await queue.add(
        'image',
        gateway.images.submission(
          { model: 'prism-image', prompt: 'i' },
          { extraBody: { style: 0.5 } },
        ),
      );
      await queue.add('video', gateway.videos.submission(video as never));
      await queue.add('speech', gateway.audio.speech.submission(speech as never));
      await queue.add(
        'music',
        gateway.audio.music.submission({ model: 'anthem-music', prompt: 'p' } as never),
      );
      queue.work();
      const rows = await Promise.all(
        ['image', 'video', 'speech', 'music'].map((id) => queue.result(id)),
      );
      expect(rows.map(({ error, status }) => error?.message ?? status)).toEqual(
        rows.map(() => 'succeeded'),
      );
      const bodies = mock.requests.filter(({ method }) => method === 'POST');
      expect(mock.invoice).toHaveLength(4);
      const image = bodies.find(({ path }) => path.includes('images'));
      expect(image?.body).toMatchObject({ style: 0.5 });
    });
  });

  describe('results', () => {
    test("from: 'start' includes earlier rows; without it, only later ones are yielded", async () => {
      await using all = await start();
      const { queue } = all;
      queue.work();
      await queue.addBulk(numbered(3), all.describeRow);
      await Promise.all(numbered(3).map((id) => queue.result(id)));
      const later = queue.results();
      await queue.add('later', all.picture('later'));
      expect((await take(later, 1)).map(({ id }) => id)).toEqual(['later']);
      const everything = await take(queue.results({ from: 'start' }), 4);
      expect(everything.map(({ id }) => id).toSorted()).toEqual(
        ['later', ...numbered(3)].toSorted(),
      );
    });

    test('a row that ends between the call and the first iteration is yielded', async () => {
      await using all = await start();
      const { queue } = all;
      const results = queue.results();
      queue.work();
      await queue.add('a', all.picture('a'));
      await queue.result('a');
      expect(await take(results, 1)).toHaveLength(1);
    });

    test('close ends iterators and rejects waiting calls', async () => {
      await using all = await start();
      const { queue } = all;
      await queue.add('a', all.picture('a'));
      const next = queue.results().next();
      const result = rejection(ConfigurationError, queue.result('a'));
      await queue.count();
      await queue.close();
      expect(await next).toEqual({ done: true, value: undefined });
      expect((await result).message).toBe('queue: is closed.');
      await rejection(ConfigurationError, queue.add('b', all.picture('b')));
      await rejection(ConfigurationError, queue.count());
      expect(() => queue.work()).toThrow(ConfigurationError);
      expect(() => queue.results()).toThrow(ConfigurationError);
    });

    test('a retried row is yielded again', async () => {
      await using all = await start();
      const { queue, mock } = all;
      mock.fail({ route: 'POST /v1/images/tasks', status: 400, times: 1 });
      const results = queue.results();
      queue.work();
      await queue.add('a', all.picture('a'));
      expect(await take(results, 1)).toMatchObject([{ id: 'a', status: 'failed' }]);
      await queue.retry('a');
      expect(await take(results, 1)).toMatchObject([{ id: 'a', status: 'succeeded' }]);
      expect(mock.invoice).toHaveLength(1);
      expect(await take(queue.results({ from: 'start' }), 1)).toMatchObject([
        { id: 'a', status: 'succeeded', error: undefined },
      ]);
    });

    test('unknown options are rejected', async () => {
      await using all = await start();
      expect(() => all.queue.results({ from: 'end' as never })).toThrow(/from: must be one of now/);
      expect(() => all.queue.work({ speed: 5 } as never)).toThrow(/speed/);
      await rejection(ConfigurationError, all.queue.retry('a', { new: true } as never));
    });
  });

  describe('failures', () => {
    test('a failed row keeps its error as plain JSON, and is a failed job', async () => {
      await using all = await start({ mock: { tasks: { durationMs: 0, outcome: 'failed' } } });
      const { queue } = all;
      queue.work();
      await queue.add('a', all.picture('a'));
      const row = await queue.result('a');
      expect(row).toMatchObject({ status: 'failed', generation: undefined });
      expect(row.error).toMatchObject({
        name: 'TaskFailedError',
        taskId: row.receipt?.id,
        idempotencyKey: row.idempotencyKey,
      });
      expect(JSON.parse(JSON.stringify(row.error))).toEqual(
        JSON.parse(JSON.stringify({ ...row.error })),
      );
      await until(async () => redis.client.zcard(`${all.prefix}:pictures:failed`)).toBe(1);
    });

    test('retry sends again under the same key, anew under another one', async () => {
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
      await queue.add('a', all.picture('a'));
      const first = await queue.result('a');
      await queue.retry('a');
      const again = await queue.result('a');
      expect(again).toMatchObject({ status: 'failed', idempotencyKey: first.idempotencyKey });
      expect(mock.tasks).toHaveLength(1);
      await queue.retry('a', { anew: true });
      const anew = await queue.result('a');
      expect(anew.status).toBe('succeeded');
      expect(anew.idempotencyKey).not.toBe(first.idempotencyKey);
      expect(mock.tasks).toHaveLength(2);
      const error = await rejection(ConfigurationError, queue.retry('a'));
      expect(error.message).toMatch(/row a: is succeeded\. Only failed and unknown rows/);
      await rejection(ConfigurationError, queue.retry('b'));
    });

    test('attempts limit the submissions; a row that may have been charged is then unknown', async () => {
      await using all = await start({ queue: { attempts: 2 } });
      const { queue, mock } = all;
      mock.fail({ route: 'POST /v1/images/tasks', reset: 'before', times: 2 });
      queue.work();
      await queue.add('a', all.picture('a'));
      const row = await queue.result('a');
      expect(row).toMatchObject({ status: 'unknown', error: { outcome: 'unknown' } });
      expect(row.receipt).toBeUndefined();
      expect(all.posts()).toBe(2);
      await queue.retry('a');
      const again = await queue.result('a');
      expect(again).toMatchObject({ status: 'succeeded', idempotencyKey: row.idempotencyKey });
      expect(mock.invoice).toHaveLength(1);
    });

    test('polls continue through an outage until waitTimeout; then the row is unknown, with its receipt', async () => {
      const mockOptions = { tasks: { durationMs: 3_600_000 } };
      await using all = await start({ mock: mockOptions, queue: { waitTimeout: 1_500 } });
      const { queue, mock } = all;
      queue.work();
      mock.fail({ route: 'GET /v1/images/tasks/{taskId}', status: 500, times: 3, retryAfter: 0.1 });
      await queue.add('a', all.picture('a'));
      const row = await queue.result('a');
      expect(row).toMatchObject({ status: 'unknown', receipt: { id: mock.tasks[0]?.id } });
      expect(row.error?.name).toBe('TaskWaitTimeoutError');
      await until(async () => redis.client.zcard(`${all.prefix}:pictures:failed`)).toBe(1);
      await queue.retry('a');
      expect(await queue.get('a')).toMatchObject({ status: 'running' });
      expect(await queue.result('a')).toMatchObject({ status: 'unknown' });
      expect(all.posts()).toBe(1);
    });
  });

  describe('remove', () => {
    test('rejects while the row is running', async () => {
      await using all = await start({ mock: { tasks: { durationMs: 1_000 } } });
      const { queue } = all;
      queue.work();
      await queue.add('a', all.picture('a'));
      await until(async () => (await queue.get('a'))?.status).toBe('running');
      const error = await rejection(ConfigurationError, queue.remove('a'));
      expect(error.message).toContain('is submitting or running');
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
      mock.fail({ route: 'POST /v1/images/tasks', status: 401, times: 1 });
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
                    : await redis.client.get(key);
        texts.push(key, JSON.stringify(value));
      }
      const text = texts.join('\n');
      expect(text.includes(mock.apiKey)).toBe(false);
      expect(text.includes('row 3') && text.includes('AuthenticationError')).toBe(true);
    });
  });

  describe('options', () => {
    test('invalid ones are rejected', async () => {
      await using all = await start();
      const { gateway } = all;
      const connection = { url: redis.url };
      const cases: [string, object, RegExp][] = [
        ['', { gateway, connection }, /name: must be a non-empty string/],
        ['a:b', { gateway, connection }, /name: must be .* without a colon/],
        ['a', { connection }, /gateway: must be a Polygate/],
        ['a', { gateway: {}, connection }, /gateway: must be a Polygate/],
        ['a', { gateway }, /connection: must be/],
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

    test('a connection of the caller stays open, also one of another copy of ioredis', async () => {
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

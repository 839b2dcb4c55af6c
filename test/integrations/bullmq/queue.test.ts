import { ConfigurationError } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

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

describe.skipIf(!isRedisInstalled).concurrent('a queue', () => {
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

    test('a task that has succeeded without a result ends its row, without a deadline, too', async () => {
      await using all = await start({ queue: { waitTimeout: Infinity } });
      const { queue, mock } = all;
      const body = { id: 'task', status: 'succeeded' };
      mock.fail({ route: 'GET /v1/images/tasks/{taskId}', status: 200, body });
      queue.work();
      await queue.add('a', all.picture('a'));
      const row = await queue.result('a');
      expect(row).toMatchObject({ status: 'unknown', receipt: { id: mock.tasks[0]?.id } });
      expect(row.error?.name).toBe('ResponseValidationError');
      expect(row.error?.outcome).toBeUndefined();
      expect(row.error?.message).toContain('has ended and was charged');
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

    test.each([401, 503])(
      'a task that was charged does not end as rejected because its polls are (%i)',
      async (status) => {
        const mockOptions = { tasks: { durationMs: 3_600_000 } };
        await using all = await start({ mock: mockOptions, queue: { waitTimeout: 700 } });
        const { queue, mock } = all;
        mock.fail({ route: 'GET /v1/images/tasks/{taskId}', status, retryAfter: 0.1 });
        queue.work();
        await queue.add('a', all.picture('a'));
        const { error, ...row } = await queue.result('a');
        expect(row).toMatchObject({ status: 'unknown', receipt: { id: mock.tasks[0]?.id } });
        expect(error).toMatchObject({ name: 'TaskWaitTimeoutError', taskId: mock.tasks[0]?.id });
        expect(error?.outcome).toBeUndefined();
        expect(error?.message).toMatch(
          new RegExp(`call queue\\.retry\\(id\\) to continue\\. .*Error ${status}\\.$`),
        );
        expect(mock.invoice).toHaveLength(1);
      },
    );
  });
});

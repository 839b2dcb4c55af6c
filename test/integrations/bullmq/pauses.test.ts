import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { holdResponses } from './held-fetch.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';
import type { SetUpOptions } from './setup.ts';

const submits = 'POST /v1/images/tasks';
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `row ${index}`);

describe.skipIf(!isRedisInstalled).concurrent('a paused queue', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const start = (options?: SetUpOptions) => setUp(redis.url, options);

  describe('pauses', () => {
    test('at a 402, unsent rows stay waiting and running tasks finish, until resume', async () => {
      await using all = await start({ mock: { concurrencyLimit: 1, tasks: { durationMs: 500 } } });
      const { queue, mock } = all;
      const other = all.open();
      mock.fail({ route: submits, status: 402, attempt: 3 });
      queue.work();
      await queue.addBulk(numbered(5), all.describeRow);
      await until(() => other.paused).toBe('balance');
      await until(async () => (await queue.count()).succeeded).toBe(2);
      expect(await queue.count()).toMatchObject({ waiting: 3, submitting: 0, running: 0 });
      expect(all.posts()).toBe(3);
      expect(queue.paused).toBe('balance');
      await other.resume();
      expect(other.paused).toBeUndefined();
      await Promise.all(numbered(5).map((id) => queue.result(id)));
      expect(queue.paused).toBeUndefined();
      expect(mock.invoice).toHaveLength(5);
    });

    test('not at a 402 to a row that was sent before a resume', async () => {
      const { fetch: heldFetch, release } = holdResponses();
      await using all = await start({ client: { fetch: heldFetch } });
      const { queue, mock } = all;
      mock.fail({ route: submits, status: 402, attempt: [1, 3] });
      queue.work();
      await queue.add('sent before', all.picture('a'));
      await until(all.posts).toBe(1);
      await queue.pause();
      await queue.resume();
      release();
      expect(await queue.result('sent before')).toMatchObject({ status: 'succeeded' });
      expect(queue.paused).toBeUndefined();
      await queue.add('sent after', all.picture('b'));
      await until(() => queue.paused).toBe('balance');
      expect(mock.invoice).toHaveLength(1);
    });

    test('at the first 402 of many rows, of which no more are sent than are in flight', async () => {
      await using all = await start({ mock: { wallet: { usd: 0.1 }, concurrencyLimit: 4 } });
      const { queue } = all;
      queue.work();
      await queue.addBulk(numbered(200), all.describeRow);
      await until(() => queue.paused).toBe('balance');
      await until(async () => (await queue.count()).submitting).toBe(0);
      await until(async () => (await queue.count()).succeeded).toBe(5);
      expect(await queue.count()).toMatchObject({ waiting: 195, failed: 0, unknown: 0 });
      expect(all.posts()).toBeLessThanOrEqual(5 + 4);
    });

    test('at the first 401 of many rows, and continues with a valid API key', async () => {
      await using all = await start({ mock: { concurrencyLimit: 4 } });
      const { queue, mock } = all;
      mock.fail({ route: submits, status: 401 });
      queue.work();
      await queue.addBulk(numbered(50), all.describeRow);
      await until(() => queue.paused).toBe('authentication');
      await until(async () => (await queue.count()).submitting).toBe(0);
      expect(await queue.count()).toMatchObject({ waiting: 50, failed: 0, unknown: 0 });
      expect(all.posts()).toBeLessThanOrEqual(4);
      mock.clearFaults();
      await queue.resume();
      await Promise.all(numbered(50).map((id) => queue.result(id)));
      expect(await queue.count()).toMatchObject({ succeeded: 50 });
      expect(mock.invoice).toHaveLength(50);
    });

    test('at a 401 of a poll, and the running task finishes', async () => {
      await using all = await start({ mock: { tasks: { durationMs: 300 } } });
      const { queue, mock } = all;
      mock.fail({ route: 'GET /v1/images/tasks/{taskId}', status: 401, times: 1 });
      queue.work();
      await queue.add('a', all.picture('a'));
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded', error: undefined });
      expect(queue.paused).toBe('authentication');
    });

    test('at a 401 of the price list, so that no row is submitted without its price', async () => {
      await using all = await start({ queue: { maxUsd: 0.03 } });
      const { queue, mock } = all;
      mock.fail({ route: 'GET /v1/models/{model}', status: 401, times: 1 });
      queue.work();
      await queue.addBulk(numbered(3), all.describeRow);
      await until(() => queue.paused).toBe('authentication');
      expect(all.posts()).toBe(0);
      await queue.resume();
      await until(() => queue.paused).toBe('budget');
      await until(async () => (await queue.count()).succeeded).toBe(1);
      expect(mock.invoice).toHaveLength(1);
    });

    test('at the budget of all processes, and continues with a higher one', async () => {
      await using all = await start({ queue: { maxUsd: 0.1 } });
      const { queue, mock } = all;
      const other = all.open();
      queue.work();
      other.work();
      await queue.addBulk(numbered(8), all.describeRow);
      await until(() => [queue.paused, other.paused]).toEqual(['budget', 'budget']);
      await until(async () => (await queue.count()).succeeded).toBe(5);
      expect(await queue.count()).toMatchObject({ waiting: 3, failed: 0, submitting: 0 });
      expect(mock.invoice).toHaveLength(5);
      await queue.close();
      await other.close();
      const rich = all.open({ maxUsd: 0.14 });
      rich.work();
      await rich.resume();
      await until(async () => (await rich.count()).succeeded).toBe(7);
      await until(() => rich.paused).toBe('budget');
    });

    test('the budget counts the charge, not the estimate, and nothing for rejected rows', async () => {
      await using all = await start({ queue: { maxUsd: 0.05 } });
      const { queue, mock } = all;
      mock.fail({ route: submits, status: 400, attempt: [1, 2, 3] });
      queue.work();
      await queue.addBulk(numbered(5), all.describeRow);
      await Promise.all(numbered(5).map((id) => queue.result(id)));
      expect(await queue.count()).toMatchObject({ succeeded: 2, failed: 3 });
      expect(queue.paused).toBeUndefined();
    });

    test('the budget counts a charge whose response was lost and that the client has found by itself', async () => {
      await using all = await start({ client: { maxRetries: 2 }, queue: { maxUsd: 0.05 } });
      const { queue, mock } = all;
      mock.fail({ route: submits, reset: 'after', attempt: 1 });
      queue.work({ concurrency: 1 });
      await queue.addBulk(numbered(4), all.describeRow);
      await until(() => queue.paused).toBe('budget');
      await until(async () => (await queue.count()).succeeded).toBe(2);
      expect(all.posts()).toBe(3);
      expect(mock.invoice).toHaveLength(2);
    });

    test('rows wait while prices cannot be fetched', async () => {
      await using all = await start({ queue: { maxUsd: 1 } });
      const { queue, mock } = all;
      mock.fail({ route: 'GET /v1/models/{model}', status: 500, times: 1 });
      queue.work();
      await queue.add('a', all.picture('a'));
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
    });

    test('a paused queue finishes running tasks and retried waits, and submits nothing', async () => {
      await using all = await start({
        mock: { tasks: { durationMs: ({ number }) => (number === 1 ? 1_500 : 3_600_000) } },
        queue: { waitTimeout: 300 },
      });
      const { queue } = all;
      const patient = all.open({ waitTimeout: 60_000 });
      const worker = queue.work();
      await queue.add('unknown', all.picture('unknown'));
      expect(await queue.result('unknown')).toMatchObject({ status: 'unknown' });
      await worker.close();
      patient.work();
      await queue.pause();
      await until(() => patient.paused).toBe('caller');
      await queue.addBulk(numbered(100), all.describeRow);
      await patient.retry('unknown');
      expect(await patient.result('unknown')).toMatchObject({ status: 'succeeded' });
      expect(await queue.count()).toMatchObject({ waiting: 100 });
      expect(all.posts()).toBe(1);
    });

    test('retried rows that wait for a resume do not hold up the polls of others', async () => {
      await using all = await start({ mock: { clock: 'virtual', tasks: { durationMs: 1 } } });
      const { queue, mock } = all;
      mock.fail({ route: submits, status: 400, times: 20 });
      const worker = queue.work({ concurrency: 4 });
      await queue.addBulk(numbered(20), all.describeRow);
      await Promise.all(numbered(20).map((id) => queue.result(id)));
      await queue.add('running', all.picture('running'));
      await until(async () => (await queue.get('running'))?.status).toBe('running');
      await queue.pause();
      await Promise.all(numbered(20).map((id) => queue.retry(id)));
      await mock.clock.advance(1);
      expect(await queue.result('running')).toMatchObject({ status: 'succeeded' });
      expect(await queue.count()).toMatchObject({ waiting: 20, succeeded: 1 });
      await worker.close();
    });
  });
});

import { Queue, Worker } from 'bullmq';
import { Polygate } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { GenerationQueue } from '../../../src/integrations/bullmq/index.ts';
import { jobIdOf } from '../../../src/integrations/bullmq/row.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';
import type { SetUpOptions } from './setup.ts';

const submits = 'POST /v1/images/tasks';
const polls = 'GET /v1/images/tasks/{taskId}';
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `row ${index}`);

describe.skipIf(!isRedisInstalled).concurrent('the workers of a queue', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const start = (options?: SetUpOptions) => setUp(redis.url, options);
  const slotLimit = async (prefix: string) => {
    const [key = ''] = await redis.client.keys(`${prefix}:polygate:slots:*:clock`);
    return Number(await redis.client.hget(key, 'limit'));
  };

  describe('slots', () => {
    test('all processes together never exceed the limit, and learn a new one', async () => {
      await using all = await start({ mock: { concurrencyLimit: 6, latencyMs: 30 } });
      const { queue, mock } = all;
      const others = [all.open(), all.open()];
      const statuses: number[] = [];
      for (const opened of [queue, ...others]) opened.work();
      await queue.addBulk(numbered(40), all.describeRow);
      await Promise.all(numbered(40).map((id) => queue.result(id)));
      expect(mock.peakInFlight).toBeLessThanOrEqual(6);
      expect(mock.peakInFlight).toBeGreaterThan(2);
      expect(await slotLimit(all.prefix)).toBe(6);
      mock.setConcurrencyLimit(2);
      mock.clearRecords();
      await queue.addBulk(['x', 'y'], all.describeRow);
      await Promise.all(['x', 'y'].map((id) => queue.result(id)));
      expect(await slotLimit(all.prefix)).toBe(2);
      mock.clearRecords();
      await queue.addBulk(['c', 'd', 'e', 'f', 'g', 'h'], all.describeRow);
      await Promise.all(['c', 'd', 'e', 'f', 'g', 'h'].map((id) => queue.result(id)));
      expect(mock.peakInFlight).toBeLessThanOrEqual(2);
      expect(statuses).not.toContain(429);
    });

    test('queues that share the slots of an account never exceed its limit, with the same row ids', async () => {
      await using all = await start({ mock: { concurrencyLimit: 2, latencyMs: 30 } });
      const { queue, mock, prefix } = all;
      const { baseURL } = all.gateway;
      const gateway = new Polygate({ apiKey: mock.apiKey, baseURL, logLevel: 'off' });
      const connection = { url: redis.url };
      const other = new GenerationQueue('others', { gateway, connection, prefix });
      for (const each of [queue, other]) {
        await each.addBulk(numbered(20), all.describeRow);
        each.work();
      }
      for (const id of numbered(20)) await Promise.all([queue.result(id), other.result(id)]);
      await other.close();
      expect(mock.invoice).toHaveLength(40);
      expect(mock.requests.filter(({ status }) => status === 429)).toHaveLength(0);
    });

    test('a rejection for lack of a slot is no attempt', async () => {
      await using all = await start({ queue: { attempts: 1 }, client: { maxQueueTime: 1 } });
      const { queue, mock } = all;
      const code = 'concurrency_limit_exceeded';
      mock.fail({ route: submits, status: 429, code, times: 2, retryAfter: 0 });
      queue.work();
      await queue.add('a', all.picture('a'));
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
    });

    test('a call whose totalTimeout ends while it waits for a slot is no attempt', async () => {
      await using all = await start({
        mock: { assumptions: { A14: 'task' }, concurrencyLimit: 1, tasks: { durationMs: 2_500 } },
        queue: { attempts: 1 },
        client: { totalTimeout: 2_000 },
      });
      const { queue, mock } = all;
      queue.work();
      await queue.addBulk(['a', 'b'], all.describeRow);
      const rows = await Promise.all(['a', 'b'].map((id) => queue.result(id)));
      expect(rows.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
      expect(mock.requests.some(({ status }) => status === 429)).toBe(true);
      expect(mock.invoice).toHaveLength(2);
    });

    test('a Retry-After of a year delays a row by maxRetryDelay', async () => {
      const delayed: typeof fetch = async (...request) => {
        const { body, status, headers } = await fetch(...request);
        return new Response(body, { status, headers: [...headers, ['retry-after', '31536000']] });
      };
      await using all = await start({
        client: { maxRetryDelay: 200, fetch: delayed },
        queue: { waitTimeout: Infinity },
        mock: { tasks: { durationMs: 300 } },
      });
      const { queue, mock } = all;
      mock.fail({ route: submits, status: 429, code: 'concurrency_limit_exceeded', times: 1 });
      mock.fail({ route: polls, status: 503, times: 1 });
      queue.work();
      await queue.add('a', all.picture('a'));
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
      expect(mock.invoice).toHaveLength(1);
    });

    test('more tasks than steps wait at the same time', async () => {
      await using all = await start({ mock: { clock: 'virtual', tasks: { durationMs: 1 } } });
      const { queue, mock } = all;
      queue.work({ concurrency: 2 });
      await queue.addBulk(numbered(20), all.describeRow);
      await until(async () => (await queue.count()).running).toBe(20);
      await mock.clock.advance(1);
      await Promise.all(numbered(20).map((id) => queue.result(id)));
      expect(mock.invoice).toHaveLength(20);
    });
  });

  describe('failed steps', () => {
    test('are logged with the row and the delay, and repeated', async () => {
      const warnings: string[] = [];
      const logger = { ...console, warn: (message: string) => warnings.push(message) };
      await using all = await start({ client: { logger, logLevel: 'warn' } });
      const { queue, mock, prefix } = all;
      await queue.add('a b', all.picture('a'));
      const row = `${prefix}:pictures:${jobIdOf('a b')}`;
      await redis.client.hset(row, 'pg:state', '{');
      queue.work();
      await until(() => warnings.length).toBeGreaterThan(0);
      expect(warnings[0]).toMatch(
        /^polygate: row a b: a step failed and is repeated in 2 s or later. ConfigurationError: row a b: has no readable state/,
      );
      await redis.client.hdel(row, 'pg:state');
      expect(await queue.result('a b')).toMatchObject({ status: 'succeeded' });
      expect(mock.invoice).toHaveLength(1);
    });

    test('are not logged if another process has taken the row', async () => {
      const warnings: string[] = [];
      const logger = { ...console, warn: (message: string) => warnings.push(message) };
      await using all = await start({ client: { logger, logLevel: 'warn' } });
      const { queue, mock, prefix } = all;
      mock.fail({ route: submits, delayMs: 500, times: 1 });
      queue.work();
      await queue.add('a', all.picture('a'));
      await until(() => mock.requests.length).toBe(1);
      await redis.client.hset(`${prefix}:pictures:${jobIdOf('a')}`, 'pg:turn', '1');
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
      expect(mock.invoice).toHaveLength(1);
      expect(warnings).toEqual([]);
    });
  });

  describe('lost locks', () => {
    /** Gives the job of a row to another worker, as if the first one had lost its lock. */
    const stall = async (prefix: string, id: string) => {
      const [job, key] = [jobIdOf(id), (name: string) => `${prefix}:pictures:${name}`];
      await redis.client
        .multi()
        .del(`${key(job)}:lock`)
        .lrem(key('active'), 0, job)
        .rpush(key('wait'), job)
        .zadd(key('marker'), 0, '0')
        .exec();
    };

    test('a row that two workers submit at the same time is paid once and ends once', async () => {
      await using all = await start({ mock: { clock: 'virtual', concurrencyLimit: 8 } });
      const { queue, mock } = all;
      mock.fail({ route: submits, delayMs: 1, attempt: 1 });
      const results = queue.results();
      queue.work();
      all.open().work();
      await queue.add('a', all.picture('a'));
      await until(() => all.posts()).toBe(1);
      await stall(all.prefix, 'a');
      await until(() => all.posts()).toBe(2);
      await mock.clock.advance(1);
      expect((await results.next()).value).toMatchObject({ id: 'a', status: 'succeeded' });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(mock.invoice).toHaveLength(1);
      expect(await queue.count()).toMatchObject({ succeeded: 1, running: 0, waiting: 0 });
      expect(await redis.client.zcard(`${all.prefix}:pictures:completed`)).toBe(1);
      expect(await redis.client.zcard(`${all.prefix}:polygate:results`)).toBe(0);
    });

    test('the failure of a worker that has lost its row does not end the row', async () => {
      await using all = await start({ mock: { clock: 'virtual' }, queue: { attempts: 1 } });
      const { queue, mock } = all;
      mock.fail({ route: submits, delayMs: 1, status: 400, attempt: 1 });
      queue.work();
      all.open().work();
      await queue.add('a', all.picture('a'));
      await until(() => all.posts()).toBe(1);
      await stall(all.prefix, 'a');
      await until(() => all.posts()).toBe(2);
      await mock.clock.advance(1);
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
      expect(await queue.count()).toMatchObject({ succeeded: 1, failed: 0 });
      expect(mock.invoice).toHaveLength(1);
    });

    test('a poll whose lock is lost leaves the row to the other worker', async () => {
      await using all = await start({ mock: { clock: 'virtual', tasks: { durationMs: 1 } } });
      const { queue, mock } = all;
      const gets = () => mock.requests.filter(({ method }) => method === 'GET').length;
      mock.fail({ route: polls, delayMs: 1, attempt: 1 });
      queue.work();
      all.open().work();
      await queue.add('a', all.picture('a'));
      await until(gets).toBe(1);
      await stall(all.prefix, 'a');
      await until(gets).toBeGreaterThan(1);
      await mock.clock.advance(1);
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
      const completed = () => redis.client.zcard(`${all.prefix}:pictures:completed`);
      await until(completed).toBe(1);
      expect(await redis.client.llen(`${all.prefix}:pictures:active`)).toBe(0);
    });

    test('a row whose response was lost is paid once and counted once', async () => {
      await using all = await start({ queue: { maxUsd: 1 } });
      const { queue, mock } = all;
      mock.fail({ route: submits, reset: 'after', attempt: 1 });
      queue.work();
      await queue.add('a', all.picture('a'));
      expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
      expect(mock.invoice).toHaveLength(1);
      const spend = await redis.client.hgetall(`${all.prefix}:pictures:polygate:spend`);
      expect(spend).toEqual({ spent: '20000000', reserved: '0' });
    });
  });

  test('a job that is not a row fails, and the others are done', async () => {
    await using all = await start();
    const { queue } = all;
    const connection = redis.client;
    const foreign = new Queue('pictures', { connection, prefix: all.prefix });
    await foreign.add('foreign', { some: 'data' });
    await foreign.add('foreign', null, { jobId: 'row-x' });
    await queue.add('a', all.picture('a'));
    queue.work();
    expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
    expect(await queue.get('x')).toBeUndefined();
    await until(() => foreign.getFailedCount()).toBe(2);
    await foreign.close();
  });

  test('a row that is not done fails only as a row: BullMQ never fails its job first', async () => {
    await using all = await start();
    const { queue } = all;
    const steal = new Worker('pictures', undefined, {
      connection: { url: redis.url },
      prefix: all.prefix,
    });
    await queue.add('a', all.picture('a'));
    const job = await steal.getNextJob('token', { block: false });
    expect(job?.id).toBe('row-a');
    await job?.moveToFailed(new Error('by another tool'), 'token');
    expect(await queue.get('a')).toMatchObject({ status: 'waiting' });
    await job?.retry('failed');
    queue.work();
    expect(await queue.result('a')).toMatchObject({ status: 'succeeded' });
    await steal.close();
  });

  describe('close', () => {
    test('lets running steps finish and takes no more rows', async () => {
      await using all = await start({ mock: { concurrencyLimit: 1, latencyMs: 200 } });
      const { queue } = all;
      const worker = queue.work();
      await queue.addBulk(numbered(5), all.describeRow);
      await until(async () => (await queue.count()).submitting).toBe(1);
      await Promise.all([worker.close(), worker.close(), worker.run]);
      const counts = await queue.count();
      expect(counts).toMatchObject({ submitting: 0, failed: 0 });
      expect(counts.running + counts.succeeded).toBe(all.posts());
      all.open().work();
      await Promise.all(numbered(5).map((id) => queue.result(id)));
      expect(all.mock.invoice).toHaveLength(5);
    });

    test('an aborted signal closes the worker, even before it starts', async () => {
      await using all = await start();
      const controller = new AbortController();
      const worker = all.queue.work({ signal: controller.signal });
      controller.abort();
      await worker.run;
      await all.queue.work({ signal: AbortSignal.abort() }).run;
      await all.queue.add('a', all.picture('a'));
      expect(await all.queue.get('a')).toMatchObject({ status: 'waiting' });
    });
  });
});

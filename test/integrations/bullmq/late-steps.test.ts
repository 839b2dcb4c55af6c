import { setTimeout as sleep } from 'node:timers/promises';

import { Queue } from 'bullmq';
import { ConfigurationError } from 'polygate';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { afterRetry } from '../../../src/integrations/bullmq/decisions/plan.ts';
import { redisKeys } from '../../../src/integrations/bullmq/redis/keys.ts';
import { RowStore } from '../../../src/integrations/bullmq/redis/row-store.ts';
import type { RowData } from '../../../src/integrations/bullmq/row.ts';
import { admitRow } from '../../../src/integrations/bullmq/worker/admissions.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';
import { admitted, ended, openStores } from './stores.ts';

const submits = 'POST /v1/images/tasks';

describe.skipIf(!isRedisInstalled)('steps that come late', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test('a submission from before an obliteration does not become the result of a row that was added again', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isFirst = true;
    const heldFetch: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === 'POST' && isFirst) {
        isFirst = false;
        await held;
      }
      return response;
    };
    await using all = await setUp(redis.url, {
      mock: { clock: 'virtual' },
      client: { fetch: heldFetch },
    });
    const { queue, mock } = all;
    const other = all.open();
    const worker = queue.work();
    await queue.add('a', all.picture('first'));
    await until(() => mock.invoice.length).toBe(1);
    await other.obliterate();
    mock.fail({ route: submits, delayMs: 1 });
    await other.add('a', all.picture('second'));
    other.work();
    await until(async () => (await other.get('a'))?.status).toBe('submitting');
    release();
    // Leaves time for the late step. If the same worker has taken the second row, it does not close before that has
    // ended.
    await Promise.race([worker.close(), sleep(1_000)]);
    await mock.clock.advance(1);
    const row = await other.result('a');
    expect(row).toMatchObject({ status: 'succeeded', receipt: { id: mock.tasks[1]?.id } });
    expect(mock.invoice).toHaveLength(2);
  });

  test('a retry from before another retry does not bring back the old key', async () => {
    await using stores = await openStores(redis.url);
    const { first, second } = stores;
    const [id = ''] = await stores.add(1);
    await ended(stores, id, {});
    const stale = await first.readJob(id);
    if (!stale) throw new Error('no row');
    expect(await second.retry(id, stale.key, afterRetry(stale, 'new key', 0, 1), stale.turn)).toBe(
      'ok',
    );
    await ended(stores, id, { to: 'unknown', state: { key: 'new key', mayBeCharged: true } });
    const again = afterRetry(stale, undefined, 0, 1);
    expect(await first.retry(id, stale.key, again, stale.turn)).toBe('busy');
    expect(await first.readJob(id)).toMatchObject({ status: 'unknown', key: 'new key' });
  });

  test('turns of a row that was deleted and added again differ', async () => {
    await using stores = await openStores(redis.url);
    const [id = ''] = await stores.add(1);
    const turn = await admitted(stores, id);
    await stores.queue.obliterate({ force: true });
    await stores.first.clear();
    await stores.add(1);
    const move = { from: 'submitting', to: 'running', state: {} } as const;
    const later = await admitted(stores, id);
    expect(await stores.first.move(id, 'key', turn, move)).toBe(false);
    expect(await stores.first.move(id, 'key', later, move)).toBe(true);
  });

  test('a lost submission that another worker records just before this one takes the row still counts', async () => {
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
    await using all = await setUp(redis.url, { client: { fetch: slow }, queue: { maxUsd: 1 } });
    const { queue, mock, gateway, prefix } = all;
    const jobs = new Queue<RowData>('pictures', { connection: redis.client, prefix });
    onTestFinished(() => jobs.close());
    const rows = new RowStore(redis.client, redisKeys(jobs, { prefix, baseURL: gateway.baseURL }));
    const read = async () => (await rows.read('a')) ?? expect.unreachable();

    await queue.add('a', all.picture('a'));
    const admission = await admitRow(rows, {
      row: await read(),
      price: { usd: 0.02 },
      maxUsd: 1,
      admissionId: 'only',
    });
    const turn = admission.admitted ? admission.turn : '';
    // This worker has read the row while it was submitting.
    queue.work();
    await until(() => lookUps).toBe(1);
    const lost = { from: 'submitting', to: 'waiting', state: { mayBeCharged: true } } as const;
    expect(await rows.move({ ...(await read()), turn }, lost)).toBe(true);
    mock.fail({ route: submits, status: 400, times: 1 });
    open();
    expect(await queue.result('a')).toMatchObject({
      status: 'unknown',
      error: { outcome: 'unknown' },
    });
    const spend = await redis.client.hgetall(`${prefix}:pictures:polygate:spend`);
    expect(spend).toEqual({ reserved: '20000000' });
  });

  test('no worker can be started while the queue closes, because it would never be closed', async () => {
    await using all = await setUp(redis.url);
    const { queue, mock } = all;
    mock.fail({ route: submits, delayMs: 500 });
    queue.work();
    await queue.add('a', all.picture('a'));
    await until(() => mock.requests.length).toBeGreaterThan(0);
    const closing = queue.close();
    expect(() => queue.work()).toThrow(ConfigurationError);
    await closing;
  });

  test('rows wait and running tasks finish while the function that returns the API key fails', async () => {
    let fails = false;
    let key = '';
    const apiKey = () => {
      if (fails) throw new Error('the vault is sealed');
      return key;
    };
    await using all = await setUp(redis.url, {
      mock: { clock: 'virtual', tasks: { durationMs: ({ number }) => (number === 1 ? 1 : 0) } },
      client: { apiKey },
    });
    const { queue, mock } = all;
    key = mock.apiKey;
    queue.work();
    await queue.add('running', all.picture('running'));
    await until(async () => (await queue.get('running'))?.status).toBe('running');
    fails = true;
    await queue.add('waiting', all.picture('waiting'));
    await until(() => queue.paused).toBe('authentication');
    expect(await queue.count()).toMatchObject({ failed: 0, unknown: 0 });
    fails = false;
    await mock.clock.advance(1);
    await queue.resume();
    expect(await queue.result('running')).toMatchObject({ status: 'succeeded' });
    expect(await queue.result('waiting')).toMatchObject({ status: 'succeeded' });
    expect(mock.invoice).toHaveLength(2);
  });
});

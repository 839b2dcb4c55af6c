import { expect, onTestFinished, test } from 'vitest';

import { Announcements } from '../../../src/integrations/bullmq/redis/announcements.ts';
import { endedRows } from '../../../src/integrations/bullmq/row-calls.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import { setUp } from './setup.ts';
import { ended, openStores } from './stores.ts';

test.skipIf(!isRedisInstalled)('a damaged row ends the results with its error', async () => {
  await using redis = await startRedis();
  await using stores = await openStores(redis.url);
  const [id = ''] = await stores.add(1);
  await ended(stores, id, {});
  await stores.redis.hset(stores.row('r0'), 'pg:state', '{');
  const announcements = new Announcements(stores.redis, stores.first.channels);
  const { rows, state } = stores.first;
  const source = { rows, state, announcements, isClosed: false };
  const results = endedRows(source, Promise.resolve(0));
  onTestFinished(() => {
    source.isClosed = true;
    announcements.close();
  });
  await expect(results.next()).rejects.toThrow(/row r0: has no readable state/);
});

test.skipIf(!isRedisInstalled)(
  'a row that ends again while it is read is yielded once',
  async () => {
    await using redis = await startRedis();
    await using stores = await openStores(redis.url);
    const { first, second } = stores;
    const [retried = '', other = ''] = await stores.add(2);
    await ended(stores, retried, {});

    // Another process retries the row between two requests of this one.
    const endedAfter = first.state.endedAfter.bind(first.state);
    let isRetried = false;
    first.state.endedAfter = async (...page) => {
      const numbers = await endedAfter(...page);
      if (isRetried) return numbers;
      isRetried = true;
      await second.retry(retried, 'key', { to: 'waiting', state: {} });
      await ended(stores, retried, { to: 'succeeded' });
      await ended(stores, other, {});
      return numbers;
    };

    const announcements = new Announcements(stores.redis, first.channels);
    const yielded: string[] = [];
    const { rows, state } = first;
    const source = { rows, state, announcements, isClosed: false };
    for await (const { id, status } of endedRows(source, Promise.resolve(0))) {
      yielded.push(`${id} ${status}`);
      source.isClosed = yielded.includes('r1 failed');
    }
    announcements.close();
    expect(yielded).toEqual(['r0 succeeded', 'r1 failed']);
  },
);

test.skipIf(!isRedisInstalled)(
  'loops that share the results get each row once, and save rows while others run',
  async () => {
    await using redis = await startRedis();
    await using all = await setUp(redis.url);
    const { queue } = all;
    const ids = Array.from({ length: 12 }, (_, index) => `row-${index}`);
    await queue.addBulk(ids, all.describeRow);
    const rows = queue.results({ from: 'start' });
    const saved: string[] = [];
    // No row is saved before three of them are being saved.
    let saving = 0;
    let release = () => {};
    const areThree = new Promise<void>((resolve) => (release = resolve));
    const save = async () => {
      for await (const { id } of rows) {
        saving += 1;
        if (saving === 3) release();
        await areThree;
        saved.push(id);
        if (saved.length === ids.length) await queue.close();
      }
    };
    queue.work();
    await Promise.all([save(), save(), save()]);
    expect(saved.toSorted()).toEqual(ids.toSorted());
  },
);

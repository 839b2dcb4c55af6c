import { Polygate } from 'polygate';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { charged } from '../../../src/integrations/bullmq/decisions/settlement.ts';
import type { StoredRow } from '../../../src/integrations/bullmq/row.ts';
import { Admissions } from '../../../src/integrations/bullmq/worker/admissions.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { until } from './setup.ts';
import { admitted, ended, openStores } from './stores.ts';

const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;
const anyTurn = expect.stringMatching(/^\d+$/);

describe.skipIf(!isRedisInstalled)('slots and budget in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const open = () => openStores(redis.url);

  describe('admit', () => {
    test('marks a waiting row as submitting, reserves its price and leases a slot', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const before = await stores.first.admit(id, 0.25, 1);
      expect(before).toEqual({ admitted: true, turn: anyTurn });
      expect(await stores.first.readJob(id)).toMatchObject({
        status: 'submitting',
        turn: before.admitted && before.turn,
      });
      expect(await stores.spend()).toEqual({ spent: 0, reserved: 0.25 });
      expect(await stores.redis.zcard(stores.slots)).toBe(1);
    });

    test('lets one row at a time submit until the limit is known', async () => {
      await using stores = await open();
      const [one = '', two = ''] = await stores.add(2);
      await admitted(stores, one);
      expect(await stores.second.admit(two, 0, undefined)).toMatchObject({ reason: 'full' });
    });

    test('rejects rows that are missing, running or ended, and all rows of a paused queue', async () => {
      await using stores = await open();
      const [one = '', two = '', three = ''] = await stores.add(3);
      const gone = { admitted: false, reason: 'gone' };
      expect(await stores.first.admit('row-x', 0, undefined)).toEqual(gone);
      const turn = await admitted(stores, one);
      await stores.first.move(one, 'k', turn, {
        from: 'submitting',
        to: 'running',
        state: { receipt },
      });
      expect(await stores.first.admit(one, 0, undefined)).toEqual(gone);
      await ended(stores, two, {});
      expect(await stores.first.admit(two, 0, undefined)).toEqual(gone);
      await stores.second.pause('caller');
      const paused = { admitted: false, reason: 'paused' };
      expect(await stores.first.admit(three, 0, undefined)).toEqual(paused);
      await stores.second.resume();
      await admitted(stores, three);
    });

    test('rejects a row that has changed since it was read', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const admit = async (row?: StoredRow) => stores.first.admit(id, 0, undefined, row);
      const first = await stores.first.readJob(id);
      const admission = await admit(first);
      const turn = admission.admitted ? admission.turn : '';
      const move = { from: 'submitting', to: 'waiting', state: { mayBeCharged: true } } as const;
      await stores.first.move(id, 'k', turn, move);
      expect(await admit(first)).toMatchObject({ reason: 'gone' });
      const second = await stores.first.readJob(id);
      expect(await admit(second)).toMatchObject({ turn: anyTurn });
    });

    test('lets one row at a time submit if the service has reported a limit of 0', async () => {
      await using stores = await open();
      const [one = '', two = ''] = await stores.add(2);
      await stores.setLimit(0);
      await admitted(stores, one);
      expect(await stores.second.admit(two, 0, undefined)).toMatchObject({ reason: 'full' });
    });

    test('never admits more rows than there are slots when two processes try at the same time', async () => {
      await using stores = await open();
      const ids = await stores.add(100);
      await stores.setLimit(8);
      const admissions = await Promise.all(
        ids.map((id, index) => (index % 2 ? stores.first : stores.second).admit(id, 0, undefined)),
      );
      expect(admissions.filter((admission) => admission.admitted)).toHaveLength(8);
      expect(await stores.redis.zcard(stores.slots)).toBe(8);
      expect(await stores.first.counts()).toMatchObject({ waiting: 92, submitting: 8 });
    });

    test('pauses between two tries of a row while the budget keeps changing', async () => {
      await using stores = await open();
      await stores.add(1);
      const { rows } = stores.first;
      const row = (await rows.read('r0')) ?? expect.unreachable();
      let tries = 0;
      rows.readSpend = () => {
        tries += 1;
        return Promise.resolve('spent 1');
      };
      const gateway = new Polygate({ apiKey: 'sk-unused', baseURL: 'https://a.example' });
      const admissions = new Admissions({ rows, gateway, maxUsd: 2, concurrency: 4 });
      onTestFinished(() => admissions.stop());
      expect(await admissions.admit(row, { usd: 0 })).toMatchObject({ reason: 'changed' });
      // It tries for a second.
      expect(tries).toBeLessThan(300);
    });

    test('never reserves more than the budget when two processes try at the same time', async () => {
      await using stores = await open();
      const ids = await stores.add(100);
      await stores.setLimit(1_000);
      const admissions = await Promise.all(
        ids.map((id, index) => (index % 2 ? stores.first : stores.second).admit(id, 0.1, 1)),
      );
      expect(admissions.filter((admission) => admission.admitted)).toHaveLength(10);
      expect(await stores.spend()).toEqual({ spent: 0, reserved: 1 });
      expect(await stores.redis.hlen(stores.key('reservations'))).toBe(10);
    });

    test('gives each of two processes that take one row a different turn, in one slot', async () => {
      await using stores = await open();
      const ids = await stores.add(50);
      await stores.setLimit(50);
      const pairs = await Promise.all(
        ids.map((id) =>
          Promise.all([stores.first.admit(id, 0.1, 5), stores.second.admit(id, 0.1, 5)]),
        ),
      );
      for (const pair of pairs) {
        expect(new Set(pair.map((one) => one.admitted && one.turn)).size).toBe(2);
      }
      expect((await stores.spend()).reserved).toBe(5);
      expect(await stores.redis.zcard(stores.slots)).toBe(50);
    });

    test('waits instead of pausing while another submission may free a part of the budget', async () => {
      await using stores = await open();
      const [one = '', two = ''] = await stores.add(2);
      await stores.setLimit(10);
      const { first, second } = stores;
      const admission = await first.admit(one, 0.6, 1);
      const turn = admission.admitted ? admission.turn : '';
      expect(await second.admit(two, 0.6, 1)).toMatchObject({ reason: 'full' });
      expect(await first.pauseReason()).toBeUndefined();
      await first.move(one, 'k', turn, {
        from: 'submitting',
        to: 'running',
        state: {},
        settlement: charged(0.6),
      });
      expect(await second.admit(two, 0.6, 1)).toMatchObject({ reason: 'exceeded' });
      expect(await first.pauseReason()).toBe('budget');
    });

    test('reserves the largest charge so far for a row without a known price', async () => {
      await using stores = await open();
      const [one = '', two = ''] = await stores.add(2);
      const turn = await admitted(stores, one);
      const move = {
        from: 'submitting',
        to: 'running',
        state: {},
        settlement: charged(1),
      } as const;
      await stores.first.move(one, 'k', turn, move);
      // It may cost as much as the first one.
      expect(await stores.first.admit(two, undefined, 1.9)).toMatchObject({ reason: 'exceeded' });
      await stores.first.resume();
      expect(await stores.first.admit(two, undefined, 2)).toMatchObject({ admitted: true });
      expect(await stores.spend()).toEqual({ spent: 1, reserved: 1 });
    });

    test('after the death of a process, its slot is free again and its row is taken up', async () => {
      await using stores = await open();
      const [one = '', two = ''] = await stores.add(2);
      await stores.first.admit(one, 0.1, 1);
      // The process is dead from here on: it renews nothing.
      await stores.advanceTicks(5);
      expect(await stores.second.admit(two, 0.1, 1)).toMatchObject({ reason: 'full' });
      await stores.advanceTicks(2);
      expect(await stores.second.admit(two, 0.1, 1)).toMatchObject({ admitted: true });
      await stores.setLimit(2);
      const again = await stores.second.admit(one, 0.1, 1);
      expect(again).toEqual({ admitted: true, turn: anyTurn });
      expect((await stores.spend()).reserved).toBe(0.2);
    });
  });

  describe('renew', () => {
    test('keeps only the leases of its queue, even if another queue has the same ids', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const { queue, store } = stores.openQueue('others');
      const row = await stores.first.readJob(id);
      if (row) await queue.add('image', row.data, { jobId: id });
      await stores.setLimit(1);
      await admitted(stores, id);
      expect(await store.admit(id, 0, undefined)).toMatchObject({ reason: 'full' });
      for (let round = 0; round < 3; round += 1) {
        await stores.advanceTicks(3);
        await store.renew([id]);
      }
      expect(await store.admit(id, 0, undefined)).toMatchObject({ admitted: true });
      await queue.close();
    });

    test('keeps a lease, but does not restore one that has expired', async () => {
      await using stores = await open();
      const [one = '', two = '', three = ''] = await stores.add(3);
      await stores.setLimit(2);
      await admitted(stores, one);
      await admitted(stores, two);
      for (let round = 0; round < 3; round += 1) {
        await stores.advanceTicks(3);
        await stores.first.renew([one]);
      }
      await admitted(stores, three);
      expect(await stores.redis.zrange(stores.slots, 0, -1)).toEqual(
        expect.arrayContaining([stores.row('r0'), stores.row('r2')]),
      );
      await stores.first.renew([two]);
      expect(await stores.redis.zcard(stores.slots)).toBe(2);
    });

    test('keeps the slot of a row that a process has lost and taken again, when its first submission ends', async () => {
      await using stores = await open();
      await stores.add(1);
      const { rows } = stores.first;
      const gateway = new Polygate({ apiKey: 'sk-unused', baseURL: 'https://a.example' });
      const admissions = new Admissions({ rows, gateway, maxUsd: undefined, concurrency: 4 });
      onTestFinished(() => admissions.stop());
      const take = async () => {
        const row = (await rows.read('r0')) ?? expect.unreachable();
        const { turn } = await admissions
          .admit(row, { usd: 0 })
          .then((admission) => (admission.admitted ? admission : expect.unreachable()));
        return () => admissions.release(row.jobId, turn);
      };
      const [endFirst, endSecond] = [await take(), await take()];
      onTestFinished(endSecond);
      endFirst();
      await stores.advanceTicks(3);
      const slot = () => stores.redis.zscore(stores.slots, stores.row('r0'));
      const tick = Number(await stores.redis.hget(stores.clock, 'tick'));
      await until(async () => Number(await slot())).toBeGreaterThan(tick - 1);
    });

    test('the clock advances once a second at most, however many processes renew', async () => {
      await using stores = await open();
      await stores.first.renew([]);
      const startedAt = performance.now();
      const tick = async () => Number(await stores.redis.hget(stores.clock, 'tick'));
      const before = await tick();
      await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          (index % 2 ? stores.first : stores.second).renew(['row-x']),
        ),
      );
      const seconds = Math.ceil((performance.now() - startedAt) / 1_000) + 1;
      expect((await tick()) - before).toBeLessThanOrEqual(seconds);
    });

    test('the clock advances by one tick after a pause of any length, and if time was set back', async () => {
      await using stores = await open();
      await stores.first.renew([]);
      for (const at of [0, Date.now() + 3_600_000]) {
        const before = Number(await stores.redis.hget(stores.clock, 'tick'));
        await stores.redis.hset(stores.clock, 'at', at);
        await stores.second.renew([]);
        expect(Number(await stores.redis.hget(stores.clock, 'tick'))).toBe(before + 1);
      }
    });
  });
});

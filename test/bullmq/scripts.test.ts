import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { describeWithRedis, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { until } from './setup.ts';
import { admitted, ended, openStores } from './stores.ts';

describeWithRedis('the atomic steps of a queue', () => {
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
      expect(before).toEqual({ admitted: true, before: 'waiting', turn: '1' });
      expect(await stores.first.readJob(id)).toMatchObject({ status: 'submitting', turn: '1' });
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
      await stores.first.move(one, 'k', turn, { from: 'submitting', to: 'running', state: {} });
      expect(await stores.first.admit(one, 0, undefined)).toEqual(gone);
      await ended(stores, two, {});
      expect(await stores.first.admit(two, 0, undefined)).toEqual(gone);
      await stores.second.pause('caller');
      const paused = { admitted: false, reason: 'paused' };
      expect(await stores.first.admit(three, 0, undefined)).toEqual(paused);
      await stores.second.resume();
      await admitted(stores, three);
    });

    test('never admits more rows than there are slots when two processes ask at once', async () => {
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

    test('never reserves more than the budget when two processes ask at once', async () => {
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

    test('gives each of two processes that take one row a turn of its own, in one slot', async () => {
      await using stores = await open();
      const ids = await stores.add(50);
      await stores.setLimit(50);
      const pairs = await Promise.all(
        ids.map((id) =>
          Promise.all([stores.first.admit(id, 0.1, 5), stores.second.admit(id, 0.1, 5)]),
        ),
      );
      for (const pair of pairs) {
        expect(pair.map((one) => one.admitted && one.turn).toSorted()).toEqual(['1', '2']);
        expect(pair.map((one) => one.admitted && one.before).toSorted()).toEqual([
          'submitting',
          'waiting',
        ]);
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
      await first.move(one, 'k', turn, { from: 'submitting', to: 'running', state: {}, cost: 0.6 });
      expect(await second.admit(two, 0.6, 1)).toMatchObject({ reason: 'paused' });
      expect(await first.pauseReason()).toBe('budget');
    });

    test('admits rows without a known price until the budget is used up', async () => {
      await using stores = await open();
      const [one = '', two = ''] = await stores.add(2);
      const turn = await admitted(stores, one);
      const move = { from: 'submitting', to: 'running', state: {}, cost: 1 } as const;
      await stores.first.move(one, 'k', turn, move);
      expect(await stores.first.admit(two, 0, 1)).toMatchObject({ reason: 'paused' });
      await stores.first.resume();
      expect(await stores.first.admit(two, 0, 1.000_000_001)).toMatchObject({ admitted: true });
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
      expect(again).toEqual({ admitted: true, before: 'submitting', turn: '2' });
      expect((await stores.spend()).reserved).toBe(0.2);
    });
  });

  describe('move', () => {
    test('settles the reservation of an accepted row and frees its slot', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const turn = await admitted(stores, id, 0.3);
      const state = { interval: 5 };
      const move = { from: 'submitting', to: 'running', state, cost: 0.2, limit: 7 } as const;
      expect(await stores.first.move(id, 'key', turn, move)).toBe(true);
      expect(await stores.first.readJob(id)).toMatchObject({ status: 'running', state });
      expect(await stores.spend()).toEqual({ spent: 0.2, reserved: 0 });
      expect(await stores.redis.zcard(stores.slots)).toBe(0);
      expect(await stores.redis.hget(stores.clock, 'limit')).toBe('7');
      expect(await stores.first.endedAfter(0, 10)).toEqual([]);
    });

    test.each([
      { cost: undefined, spent: 0, reserved: 0.3 },
      { cost: 'unknown', spent: 0, reserved: 0.3 },
      { cost: 'reserved', spent: 0.3, reserved: 0 },
      { cost: 0, spent: 0, reserved: 0 },
      { cost: 0.5, spent: 0.5, reserved: 0 },
    ] as const)('a cost of $cost of a reserved 0.3 USD spends $spent', async (row) => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const turn = await admitted(stores, id, 0.3);
      const move = { from: 'submitting', to: 'unknown', state: {}, cost: row.cost } as const;
      await stores.first.move(id, 'key', turn, move);
      expect(await stores.spend()).toEqual({ spent: row.spent, reserved: row.reserved });
    });

    test('spends once for each idempotency key', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      for (const [key, spent] of [
        ['one', 0.1],
        ['one', 0.1],
        ['two', 0.2],
      ] as const) {
        const turn = await admitted(stores, id, 0.1);
        const move = { from: 'submitting', to: 'waiting', state: {}, cost: 0.1 } as const;
        await stores.first.move(id, key, turn, move);
        expect(await stores.spend()).toEqual({ spent, reserved: 0 });
      }
    });

    test('announces and numbers ended rows in order', async () => {
      await using stores = await open();
      const ids = await stores.add(3);
      const heard: string[] = [];
      const listener = stores.redis.duplicate();
      await listener.subscribe(stores.first.channels[0]);
      listener.on('message', (_, id: string) => heard.push(id));
      for (const id of ids) await ended(stores, id, {});
      const results = await stores.first.endedAfter(0, 10);
      expect(results.map(([id]) => id)).toEqual(ids);
      const [, [, second] = ['', 0]] = results;
      expect(await stores.first.endedAfter(second, 10)).toEqual(results.slice(2));
      expect(await stores.first.lastEnded()).toBe(results[2]?.[1]);
      await until(() => heard).toEqual(ids);
      listener.disconnect();
    });

    test('numbers go on if Redis has lost its latest data', async () => {
      await using stores = await open();
      const [one = '', two = ''] = await stores.add(2);
      await ended(stores, one, {});
      const last = await stores.first.lastEnded();
      await stores.redis.hset(stores.key('counts'), 'ended', 3);
      await ended(stores, two, {});
      expect(await stores.first.endedAfter(last, 10)).toHaveLength(1);
    });

    test('changes nothing if the row has another status or turn, or is gone', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const turn = await admitted(stores, id, 0.1);
      const latest = await admitted(stores, id, 0.1);
      const before = await stores.dump();
      const { first } = stores;
      const move = { from: 'submitting', to: 'failed', state: {}, cost: 0 } as const;
      expect(await first.move(id, 'key', turn, move)).toBe(false);
      expect(await first.move(id, 'key', latest, { ...move, from: 'running' })).toBe(false);
      expect(await first.move('row-x', 'key', '0', { ...move, from: 'waiting' })).toBe(false);
      expect(await stores.dump()).toEqual(before);
    });

    test('one of two processes that end a row at once succeeds', async () => {
      await using stores = await open();
      const ids = await stores.add(100);
      await stores.setLimit(100);
      const { first, second } = stores;
      const pairs = await Promise.all(
        ids.map(async (id) => {
          const turn = await admitted(stores, id, 0.01);
          const move = { from: 'submitting', state: {}, cost: 0.01 } as const;
          return Promise.all([
            first.move(id, id, turn, { ...move, to: 'succeeded' }),
            second.move(id, id, turn, { ...move, to: 'failed' }),
          ]);
        }),
      );
      expect(pairs.every(([one, two]) => one !== two)).toBe(true);
      const succeeded = pairs.filter(([one]) => one).length;
      expect(await first.counts()).toMatchObject({ succeeded, failed: 100 - succeeded });
      expect(await stores.spend()).toEqual({ spent: 1, reserved: 0 });
      const numbers = (await first.endedAfter(0, 200)).map(([, number]) => number);
      expect(new Set(numbers).size).toBe(100);
    });

    test('after the death of a process, a step that was done is not repeated', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const turn = await admitted(stores, id, 0.1);
      const move = { from: 'submitting', to: 'running', state: {}, cost: 0.1 } as const;
      expect(await stores.first.move(id, 'key', turn, move)).toBe(true);
      const before = await stores.dump();
      expect(await stores.second.move(id, 'key', turn, move)).toBe(false);
      expect(await stores.dump()).toEqual(before);
    });

    test.each([
      { hints: ['more', 'more'], limit: '3' },
      { hints: ['more', 'more', 'more', 'more', 'less'], limit: '2' },
      { hints: ['less'], limit: '1' },
      { hints: [9, 'more', 'less'], limit: '9' },
      { hints: [9, 3], limit: '3' },
    ] as const)('the limits $hints lead to $limit', async ({ hints, limit }) => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      for (const hint of hints) {
        const turn = await admitted(stores, id);
        const move = { from: 'submitting', to: 'waiting', state: {}, limit: hint } as const;
        await stores.first.move(id, 'key', turn, move);
      }
      expect(await stores.redis.hget(stores.clock, 'limit')).toBe(limit);
    });
  });

  describe('renew', () => {
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
        expect.arrayContaining([one, three]),
      );
      await stores.first.renew([two]);
      expect(await stores.redis.zcard(stores.slots)).toBe(2);
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

  describe('retry', () => {
    const again = { to: 'waiting', state: { failures: 0 } } as const;

    test('moves a failed row and its job back', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await ended(stores, id, {});
      expect(await stores.first.retry(id, 'key', again)).toBe('ok');
      const { state } = again;
      expect(await stores.first.readJob(id)).toMatchObject({ status: 'waiting', state, turn: '2' });
      expect(await (await stores.queue.getJob(id))?.getState()).toBe('delayed');
      expect(await stores.first.endedAfter(0, 10)).toEqual([]);
      expect(await stores.first.counts()).toMatchObject({ waiting: 1, failed: 0 });
      expect(await stores.redis.hget(stores.row('r0'), 'priority')).toBe('1');
    });

    test('a row with a task goes before new rows', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await ended(stores, id, { to: 'unknown' });
      expect(await stores.first.retry(id, 'key', { to: 'running', state: {} })).toBe('ok');
      expect(await stores.redis.hget(stores.row('r0'), 'priority')).toBe('0');
    });

    test('rejects a row that has not failed, is gone, or whose failure is being recorded', async () => {
      await using stores = await open();
      const [one = '', two = '', three = ''] = await stores.add(3);
      expect(await stores.first.retry(one, 'key', again)).toBe('waiting');
      await ended(stores, two, { to: 'succeeded' });
      expect(await stores.first.retry(two, 'key', again)).toBe('succeeded');
      expect(await stores.first.retry('row-x', 'key', again)).toBe('missing');
      await ended(stores, three, {});
      await stores.redis.zrem(stores.queue.toKey('failed'), three);
      const before = await stores.dump();
      expect(await stores.first.retry(three, 'key', again)).toBe('busy');
      expect(await stores.dump()).toEqual(before);
    });

    test('one of two processes that retry a row at once succeeds', async () => {
      await using stores = await open();
      const ids = await stores.add(50);
      await stores.setLimit(50);
      for (const id of ids) await ended(stores, id, {});
      const pairs = await Promise.all(
        ids.map((id) =>
          Promise.all([
            stores.first.retry(id, 'key', again),
            stores.second.retry(id, 'key', again),
          ]),
        ),
      );
      for (const pair of pairs) expect(pair.toSorted()).toEqual(['ok', 'waiting']);
      expect(await stores.first.counts()).toMatchObject({ waiting: 50, failed: 0 });
      expect(await stores.redis.zcard(stores.queue.toKey('delayed'))).toBe(50);
    });

    test('what was reserved for the old key is spent', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await ended(stores, id, { to: 'unknown', cost: 'unknown' });
      await stores.first.retry(id, 'old key', { ...again, cost: 'reserved' });
      expect(await stores.spend()).toEqual({ spent: 0.1, reserved: 0 });
      await admitted(stores, id, 0.1);
      expect(await stores.spend()).toEqual({ spent: 0.1, reserved: 0.1 });
    });
  });

  describe('remove', () => {
    test('removes waiting and ended rows with all that is known about them', async () => {
      await using stores = await open();
      const empty = await stores.dump();
      const [one = '', two = '', three = ''] = await stores.add(3);
      await stores.setLimit(5);
      await ended(stores, two, {});
      await ended(stores, three, { to: 'succeeded' });
      for (const id of [one, two, three]) expect(await stores.first.remove(id)).toBe(true);
      expect(await stores.first.endedAfter(0, 10)).toEqual([]);
      const counts = { waiting: 0, failed: 0, succeeded: 0 };
      expect(await stores.first.counts()).toMatchObject(counts);
      const left = [...(await stores.dump()).keys()].filter((key) => !empty.has(key));
      expect(left.filter((key) => /row-|failed|completed|prioritized/.test(key))).toEqual([]);
    });

    test('removes a row that a worker has locked', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await stores.redis.zrem(stores.queue.toKey('prioritized'), id);
      await stores.redis.lpush(stores.queue.toKey('active'), id);
      await stores.redis.set(`${stores.row('r0')}:lock`, 'token');
      expect(await stores.first.remove(id)).toBe(true);
      expect(await stores.redis.exists(`${stores.row('r0')}:lock`)).toBe(0);
      expect(await stores.redis.llen(stores.queue.toKey('active'))).toBe(0);
      expect(await stores.first.admit(id, 0, undefined)).toMatchObject({ reason: 'gone' });
    });

    test('keeps rows that are submitting or running', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const turn = await admitted(stores, id);
      const before = await stores.dump();
      expect(await stores.first.remove(id)).toBe(false);
      expect(await stores.dump()).toEqual(before);
      await stores.first.move(id, 'k', turn, { from: 'submitting', to: 'running', state: {} });
      expect(await stores.first.remove(id)).toBe(false);
    });

    test('spends what was reserved', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await ended(stores, id, { to: 'unknown', cost: 'unknown' });
      await stores.first.remove(id);
      expect(await stores.spend()).toEqual({ spent: 0.1, reserved: 0 });
      expect(await stores.redis.exists(stores.key('reservations'))).toBe(0);
    });

    test('of a removal and an admission at once, one wins', async () => {
      await using stores = await open();
      const ids = await stores.add(100);
      await stores.setLimit(100);
      const pairs = await Promise.all(
        ids.map((id, index) => {
          const remove = () => stores.first.remove(id);
          const admit = () => stores.second.admit(id, 0, undefined);
          return index % 2
            ? Promise.all([remove(), admit()])
            : Promise.all([admit(), remove()]).then(([one, two]) => [two, one] as const);
        }),
      );
      for (const [isRemoved, { admitted: isAdmitted }] of pairs)
        expect(isRemoved).toBe(!isAdmitted);
      const submitting = pairs.filter(([isRemoved]) => !isRemoved).length;
      expect(await stores.first.counts()).toMatchObject({ waiting: 0, submitting });
    });

    test('can be repeated, also by two processes at once', async () => {
      await using stores = await open();
      const ids = await stores.add(50);
      await stores.setLimit(50);
      for (const id of ids) await ended(stores, id, {});
      await Promise.all(ids.flatMap((id) => [stores.first.remove(id), stores.second.remove(id)]));
      expect(await stores.first.counts()).toMatchObject({ waiting: 0, failed: 0 });
    });
  });

  describe('transactions', () => {
    test('the first reason for a pause remains until the queue is resumed', async () => {
      await using stores = await open();
      await Promise.all([stores.first.pause('balance'), stores.first.pause('caller')]);
      expect(await stores.second.pauseReason()).toBe('balance');
      await stores.second.resume();
      expect(await stores.first.pauseReason()).toBeUndefined();
    });

    test('counts add up at any time', async () => {
      await using stores = await open();
      const ids = await stores.add(60);
      await stores.setLimit(100);
      const moving = Promise.all(
        ids.map(async (id) => {
          const turn = await admitted(stores, id);
          const { first } = stores;
          await first.move(id, 'k', turn, { from: 'submitting', to: 'running', state: {} });
          await first.move(id, 'k', turn, { from: 'running', to: 'succeeded', state: {} });
        }),
      );
      for (let round = 0; round < 30; round += 1) {
        const counts = Object.values(await stores.second.counts());
        expect(counts.reduce((total, count) => total + count, 0)).toBe(60);
      }
      await moving;
      expect(await stores.second.counts()).toMatchObject({ waiting: 0, running: 0, succeeded: 60 });
    });

    test('a script runs after Redis has forgotten it', async () => {
      await using stores = await open();
      await stores.redis.script('FLUSH');
      const [id = ''] = await stores.add(1);
      await admitted(stores, id);
    });
  });
});

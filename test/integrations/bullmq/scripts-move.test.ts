import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  accepted,
  charged,
  undecided,
  unpaid,
} from '../../../src/integrations/bullmq/decisions/settlement.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { until } from './setup.ts';
import { admitted, ended, openStores } from './stores.ts';

describe.skipIf(!isRedisInstalled)('moves in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const open = () => openStores(redis.url);

  describe('move', () => {
    test('settles the reservation of an accepted row and frees its slot', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const turn = await admitted(stores, id, 0.3);
      const state = { interval: 5, receipt: { v: 1, kind: 'image', id: 'task_1' } } as const;
      const move = {
        from: 'submitting',
        to: 'running',
        state,
        settlement: charged(0.2),
        limit: 7,
      } as const;
      expect(await stores.first.move(id, 'key', turn, move)).toBe(true);
      expect(await stores.first.readJob(id)).toMatchObject({ status: 'running', state });
      expect(await stores.spend()).toEqual({ spent: 0.2, reserved: 0 });
      expect(await stores.redis.zcard(stores.slots)).toBe(0);
      expect(await stores.redis.hget(stores.clock, 'limit')).toBe('7');
      expect(await stores.first.endedAfter(0, 10)).toEqual([]);
    });

    test.each([
      { settlement: undefined, spent: 0, reserved: 0.3 },
      { settlement: undecided, spent: 0, reserved: 0.3 },
      { settlement: accepted, spent: 0.3, reserved: 0 },
      { settlement: unpaid, spent: 0, reserved: 0 },
      { settlement: charged(0.5), spent: 0.5, reserved: 0 },
    ] as const)('$settlement of a reserved 0.3 USD spends $spent', async (row) => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const turn = await admitted(stores, id, 0.3);
      const move = {
        from: 'submitting',
        to: 'unknown',
        state: {},
        settlement: row.settlement,
      } as const;
      await stores.first.move(id, 'key', turn, move);
      expect(await stores.spend()).toEqual({ spent: row.spent, reserved: row.reserved });
      expect(await stores.spentBy(id)).toBe(row.spent);
    });

    test.each([
      ['rows without a task', undefined, undefined, 0.1],
      ['a replay', 'task_1', 'task_1', 0.1],
      ['another task, because the service has forgotten the key', 'task_1', 'task_2', 0.2],
    ])('spends once for each key and task: %s', async (_, first, second, afterSecond) => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      for (const [key, task, spent] of [
        ['one', first, 0.1],
        ['one', second, afterSecond],
        ['two', second, afterSecond + 0.1],
      ] as const) {
        const turn = await admitted(stores, id, 0.1);
        const move = {
          from: 'submitting',
          to: 'waiting',
          state: {},
          settlement: charged(0.1, task),
        } as const;
        await stores.first.move(id, key, turn, move);
        expect(await stores.spend()).toMatchObject({ reserved: 0 });
        expect((await stores.spend()).spent).toBeCloseTo(spent);
        expect(await stores.spentBy(id)).toBeCloseTo(spent);
      }
    });

    test('a row of an earlier version, whose task is not stored, spends once under its key', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await stores.redis.hset(stores.queue.toKey(id), 'pg:paid', 'key', 'pg:spent', 100_000_000);
      const turn = await admitted(stores, id, 0.1);
      const settlement = charged(0.1, 'task_1');
      const move = { from: 'submitting', to: 'running', state: {}, settlement } as const;
      await stores.first.move(id, 'key', turn, move);
      expect(await stores.spentBy(id)).toBe(0.1);
    });

    test('announces and numbers ended rows in order', async () => {
      await using stores = await open();
      const ids = await stores.add(3);
      const heard: string[] = [];
      const listener = stores.redis.duplicate();
      await listener.subscribe(stores.first.channels.ended);
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

    test('numbers never start over, even if Redis has lost its latest data', async () => {
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
      const move = { from: 'submitting', to: 'failed', state: {}, settlement: unpaid } as const;
      expect(await first.move(id, 'key', turn, move)).toBe(false);
      expect(await first.move(id, 'key', latest, { ...move, from: 'running' })).toBe(false);
      expect(await first.move('row-x', 'key', '0', { ...move, from: 'waiting' })).toBe(false);
      expect(await stores.dump()).toEqual(before);
    });

    test('one of two processes that end a row at the same time succeeds', async () => {
      await using stores = await open();
      const ids = await stores.add(100);
      await stores.setLimit(100);
      const { first, second } = stores;
      const pairs = await Promise.all(
        ids.map(async (id) => {
          const turn = await admitted(stores, id, 0.01);
          const move = { from: 'submitting', state: {}, settlement: charged(0.01) } as const;
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
      const move = {
        from: 'submitting',
        to: 'running',
        state: {},
        settlement: charged(0.1),
      } as const;
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

  test('a limit that is only a hint changes with the row, and not once per refused move', async () => {
    await using stores = await open();
    const [id = ''] = await stores.add(1);
    const turn = await ended(stores, id, { to: 'unknown' });
    const { first } = stores;
    const move = { to: 'succeeded', state: {}, settlement: unpaid } as const;
    for (const limit of ['more', 'less', 'more'] as const) {
      expect(await first.move(id, 'key', turn, { ...move, from: 'submitting', limit })).toBe(false);
    }
    expect(await stores.redis.hget(stores.clock, 'limit')).toBeNull();
    expect(await first.move(id, 'key', turn, { ...move, from: 'unknown', limit: 'more' })).toBe(
      true,
    );
    expect(await stores.redis.hget(stores.clock, 'limit')).toBe('2');
    expect(await first.move(id, 'key', turn, { ...move, from: 'unknown', limit: 5 })).toBe(false);
    expect(await stores.redis.hget(stores.clock, 'limit')).toBe('5');
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
      expect(await admitted(stores, id)).toMatch(/^\d+$/);
    });
  });
});

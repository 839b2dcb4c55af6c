import { ConfigurationError, ConnectionError } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { accepted, undecided } from '../../../src/integrations/bullmq/decisions/settlement.ts';
import { retryRow } from '../../../src/integrations/bullmq/row-calls.ts';
import { rejection } from '../../support/rejection.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { admitted, ended, openStores } from './stores.ts';

const anew = { id: 'r0', isAnew: true, waitTimeout: 1 };
const receipt = { v: 1, kind: 'image', id: 'task_1' } as const;

describe.skipIf(!isRedisInstalled)('retries and removals in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const open = () => openStores(redis.url);

  describe('retry', () => {
    const again = { to: 'waiting', state: { failures: 0 } } as const;

    test('moves a failed row and its job back', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      const turn = await ended(stores, id, {});
      expect(await stores.first.retry(id, 'key', again)).toBe('ok');
      const { state } = again;
      expect(await stores.first.readJob(id)).toMatchObject({
        status: 'waiting',
        state,
        turn: String(Number(turn) + 1),
      });
      expect(await (await stores.queue.getJob(id))?.getState()).toBe('delayed');
      expect(await stores.first.endedAfter(0, 10)).toEqual([]);
      expect(await stores.first.counts()).toMatchObject({ waiting: 1, failed: 0 });
      expect(await stores.redis.hget(stores.row('r0'), 'priority')).toBe('2');
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

    test('gives up on a row whose failure no worker records, and retries nothing later', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await ended(stores, id, {});
      await stores.redis.zrem(stores.queue.toKey('failed'), id);
      const error = await rejection(
        ConnectionError,
        retryRow(stores.first.rows, { ...anew, seen: { turn: undefined }, busyTime: 0 }),
      );
      expect(error.outcome).toBe('not-sent');
      await stores.redis.zadd(stores.queue.toKey('failed'), 1, id);
      expect(await stores.first.readJob(id)).toMatchObject({ status: 'failed' });
      await retryRow(stores.first.rows, { ...anew, seen: { turn: undefined }, busyTime: 0 });
      expect(await stores.first.readJob(id)).toMatchObject({ status: 'waiting' });
    });

    test('does not retry a row again that another call has retried while it waited', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await ended(stores, id, {});
      const { first, second, redis: client, queue } = stores;
      await client.zrem(queue.toKey('failed'), id);
      const { rows } = first;
      const retry = rows.retry.bind(rows);
      const replies: string[] = [];
      rows.retry = async (...request) => {
        const reply = await retry(...request);
        replies.push(reply);
        if (replies.length > 1) return reply;
        // The failure is recorded, another process retries the row, and it fails again.
        await client.zadd(queue.toKey('failed'), 1, id);
        expect(await second.retry(id, 'key', again)).toBe('ok');
        await client.zrem(queue.toKey('delayed'), id);
        await ended(stores, id, {});
        return reply;
      };
      const error = await rejection(
        ConfigurationError,
        retryRow(rows, { ...anew, seen: { turn: undefined } }),
      );
      expect(error.message).toContain('was retried by another call');
      expect(replies).toEqual(['busy']);
      expect(await first.readJob(id)).toMatchObject({ status: 'failed' });
    });

    test('reopens a row that has had no turn', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await ended(stores, id, {});
      await stores.redis.hdel(stores.row('r0'), 'pg:turn');
      expect(await stores.first.retry(id, 'key', again)).toBe('ok');
    });

    test('one of two processes that retry a row at the same time succeeds', async () => {
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
      await ended(stores, id, { to: 'unknown', settlement: undecided });
      await stores.first.retry(id, 'old key', { ...again, settlement: accepted });
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
      await stores.first.move(id, 'k', turn, {
        from: 'submitting',
        to: 'running',
        state: { receipt },
      });
      expect(await stores.first.remove(id)).toBe(false);
    });

    test('spends what was reserved', async () => {
      await using stores = await open();
      const [id = ''] = await stores.add(1);
      await ended(stores, id, { to: 'unknown', settlement: undecided });
      await stores.first.remove(id);
      expect(await stores.spend()).toEqual({ spent: 0.1, reserved: 0 });
      expect(await stores.redis.exists(stores.key('reservations'))).toBe(0);
    });

    test('of a simultaneous removal and admission, one wins', async () => {
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

    test('can be repeated, even by two processes at the same time', async () => {
      await using stores = await open();
      const ids = await stores.add(50);
      await stores.setLimit(50);
      for (const id of ids) await ended(stores, id, {});
      await Promise.all(ids.flatMap((id) => [stores.first.remove(id), stores.second.remove(id)]));
      expect(await stores.first.counts()).toMatchObject({ waiting: 0, failed: 0 });
    });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  accepted,
  charged,
  undecided,
  unpaid,
} from '../../../src/integrations/bullmq/decisions/settlement.ts';
import type { Settlement } from '../../../src/integrations/bullmq/decisions/settlement.ts';
import { parseSpend } from '../../../src/integrations/bullmq/redis/scripts/spend.ts';
import { admitRow } from '../../../src/integrations/bullmq/worker/admissions.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { openStores } from './stores.ts';
import type { Stores } from './stores.ts';

describe.skipIf(!isRedisInstalled)('a claim on the budget in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());
  const open = () => openStores(redis.url);

  test('decides again if the budget has changed since it was read', async () => {
    await using stores = await open();
    const [one = '', two = ''] = await stores.add(2);
    await stores.setLimit(10);
    const { rows } = stores.first;
    const row = (await rows.readJob(two)) ?? expect.unreachable();
    const claim = {
      decision: 'held',
      reservation: { nanoUsd: 600_000_000, basis: 'price' },
      seen: await rows.readSpend(),
    } as const;
    await stores.second.admit(one, 0.6, 1);
    expect(await rows.admit(row, claim, 'stale')).toMatchObject({ reason: 'changed' });
    expect(await stores.spend()).toEqual({ spent: 0, reserved: 0.6 });
  });

  test('an admission that is repeated takes one turn', async () => {
    await using stores = await open();
    const [id = ''] = await stores.add(1);
    const { rows } = stores.first;
    const row = (await rows.readJob(id)) ?? expect.unreachable();
    const applicant = { row, price: { usd: 0.1 }, maxUsd: 1, admissionId: 'the same' };
    const first = await admitRow(rows, applicant);
    expect(first).toMatchObject({ admitted: true });
    expect(await admitRow(rows, applicant)).toEqual(first);
    expect(await stores.spend()).toEqual({ spent: 0, reserved: 0.1 });
  });

  test('raises what rows of a class reserve in all processes once one is charged more', async () => {
    await using stores = await open();
    const ids = await stores.add(5);
    const [lost = '', flying = '', other = '', costly = '', next = ''] = ids;
    await stores.setLimit(10);
    const { first, second } = stores;
    const units = (count: number, priceClass = 'class') => ({ priceClass, units: count });
    const one = await second.admit(lost, 0.01, 1, undefined, units(1));
    await second.admit(flying, 0.03, 1, undefined, units(3));
    await second.admit(other, 0.01, 1, undefined, units(1, 'other'));
    const move = { from: 'submitting', to: 'unknown', state: {}, settlement: undecided } as const;
    await second.move(lost, 'k1', one.admitted ? one.turn : '', move);
    const four = await first.admit(costly, 0.01, 1, undefined, units(1));
    const settlement = charged(0.02);
    await first.move(costly, 'k4', four.admitted ? four.turn : '', { ...move, settlement });
    expect(await stores.spend()).toEqual({ spent: 0.02, reserved: 0.02 + 0.06 + 0.01 });
    const refused = await second.admit(next, 0.01, 0.12, undefined, units(1));
    expect(refused).toMatchObject({ admitted: false });
    expect(await second.admit(next, 0.01, 0.13, undefined, units(1))).toMatchObject({
      admitted: true,
    });
    expect(await stores.spend()).toEqual({ spent: 0.02, reserved: 0.11 });
  });

  /** Submits a row, which then waits. `reportedUsd`: a charge that counts for another row. */
  async function submit(
    { first }: Stores,
    id: string,
    [key, settlement, reportedUsd]: readonly [string, Settlement, number?],
  ): Promise<void> {
    const admission = await first.admit(id, 0.01, 1);
    const turn = admission.admitted ? admission.turn : '';
    const move = { from: 'submitting', to: 'waiting', state: {}, settlement, reportedUsd } as const;
    expect(await first.move(id, key, turn, move)).toBe(true);
  }

  test.each([
    ['was lost', undecided, { spent: 0, reserved: 0.03 }],
    ['was accepted without a charge', accepted, { spent: 0.03, reserved: 0 }],
    ['was rejected', unpaid, { spent: 0, reserved: 0 }],
    ['was charged', charged(0.02), { spent: 0.02, reserved: 0 }],
    ['has failed with a charge', { ...charged(0.02), isLost: true }, { spent: 0.02, reserved: 0 }],
  ] as const)(
    'counts what is missing if other rows get the replay of one that %s',
    async (_, settlement, counted) => {
      await using stores = await open();
      const [one = '', ...others] = await stores.add(3);
      await stores.setLimit(10);
      await submit(stores, one, ['key', settlement]);
      for (const id of others) {
        await submit(stores, id, ['key', unpaid, 0.03]);
        expect(await stores.spend()).toEqual(counted);
      }
    },
  );

  test('counts what is missing once if a lost row is removed, or gets its own replay later', async () => {
    await using stores = await open();
    const [removed = '', resent = '', one = '', other = ''] = await stores.add(4);
    await stores.setLimit(10);
    // The key that its data names.
    const key = `key ${removed}`;
    await submit(stores, removed, [key, undecided]);
    await submit(stores, resent, ['key', undecided]);
    expect(await stores.first.remove(removed)).toBe(true);
    expect(await stores.spend()).toEqual({ spent: 0.01, reserved: 0.01 });
    await submit(stores, one, [key, unpaid, 0.03]);
    await submit(stores, other, ['key', unpaid, 0.03]);
    expect(await stores.spend()).toEqual({ spent: 0.03, reserved: 0.03 });
    await submit(stores, resent, ['key', charged(0.03), 0.03]);
    expect(await stores.spend()).toEqual({ spent: 0.06, reserved: 0 });
  });

  test('counts the charge of a failed submission once per response, and frees its key once', async () => {
    await using stores = await open();
    const [id = ''] = await stores.add(1);
    const { first } = stores;
    const settlement = { ...charged(0.02), isLost: true } as const;
    const spends: unknown[] = [];
    for (let submission = 0; submission < 2; submission += 1) {
      const admission = await first.admit(id, 0.02, 0.03);
      const turn = admission.admitted ? admission.turn : '';
      const move = { from: 'submitting', to: 'waiting', state: {}, settlement } as const;
      await first.move(id, 'key', turn, move);
      spends.push(await stores.spend());
    }
    expect(spends).toEqual([
      { spent: 0.02, reserved: 0 },
      { spent: 0.04, reserved: 0 },
    ]);
    expect(await first.admit(id, 0.02, 0.03)).toMatchObject({ reason: 'exceeded' });
  });

  test.each([
    { settlement: undecided, unpriced: 1 },
    { settlement: accepted, unpriced: 1 },
    { settlement: unpaid, unpriced: 0 },
    { settlement: charged(0.2), unpriced: 0 },
  ] as const)('a row that reserves nothing is $unpriced after $settlement', async (row) => {
    await using stores = await open();
    const [one = '', two = ''] = await stores.add(2);
    await stores.setLimit(10);
    const admission = await stores.first.admit(one, undefined, 1);
    const turn = admission.admitted ? admission.turn : '';
    // The first charge is not known yet.
    expect(await stores.second.admit(two, undefined, 1)).toMatchObject({ reason: 'full' });
    const { settlement } = row;
    const move = { from: 'submitting', to: 'unknown', state: {}, settlement } as const;
    expect(await stores.first.move(one, 'k', turn, move)).toBe(true);
    const { unpriced } = parseSpend(await stores.first.rows.readSpend());
    expect([...unpriced.values()]).toEqual([row.unpriced]);
    expect(await stores.second.admit(two, undefined, 1)).toMatchObject({ admitted: true });
  });
});

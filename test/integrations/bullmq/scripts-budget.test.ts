import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  accepted,
  charged,
  undecided,
  unpaid,
} from '../../../src/integrations/bullmq/decisions/settlement.ts';
import { parseSpend } from '../../../src/integrations/bullmq/redis/spend.ts';
import { admitRow } from '../../../src/integrations/bullmq/worker/admissions.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { openStores } from './stores.ts';

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
    const applicant = { row, priceUsd: 0.1, maxUsd: 1, admissionId: 'the same' };
    const first = await admitRow(rows, applicant);
    expect(first).toMatchObject({ admitted: true });
    expect(await admitRow(rows, applicant)).toEqual(first);
    expect(await stores.spend()).toEqual({ spent: 0, reserved: 0.1 });
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

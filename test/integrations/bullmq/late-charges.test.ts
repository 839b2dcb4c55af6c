import { Polygate } from 'polygate';
import type { ChatCompletion } from 'polygate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { afterChat } from '../../../src/integrations/bullmq/decisions/chat-plan.ts';
import { afterRetry } from '../../../src/integrations/bullmq/decisions/plan.ts';
import { charged, undecided } from '../../../src/integrations/bullmq/decisions/settlement.ts';
import { recordSubmission } from '../../../src/integrations/bullmq/worker/record-submission.ts';
import { verdictOfTask } from '../../../src/paid/life.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { admitted, ended, openStores } from './stores.ts';
import { warningsOf } from './warnings.ts';

describe.skipIf(!isRedisInstalled)('completions of chats', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test('are logged without their texts if they cannot be recorded before the connection is closed', async () => {
    await using stores = await openStores(redis.url);
    const [id = ''] = await stores.add(1);
    const turn = await admitted(stores, id);
    const row = await stores.first.readJob(id);
    if (!row) throw new Error('no row');
    const { warnings, ...logging } = warningsOf();
    const gateway = new Polygate({ apiKey: 'sk-1', baseURL: 'https://a.example', ...logging });
    const message = { role: 'assistant', content: 'my secret' };
    const completion: ChatCompletion = JSON.parse(
      JSON.stringify({ id: 'chatcmpl-1', choices: [{ index: 0, message }] }),
    );
    const step = afterChat({}, completion, verdictOfTask({ chargeUsd: 0.02, replayed: false }));
    const sent = { ...row, turn, data: { ...row.data, kind: 'chat' as const } };
    stores.redis.disconnect();
    expect(await recordSubmission(gateway, stores.first.rows, sent, step)).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringMatching(
        /row r0: the chat completion chatcmpl-1 has cost 0.02 USD, but could not be recorded/,
      ),
    ]);
    expect(warnings.join('')).not.toContain('secret');
  });

  test.each([
    ['is recorded already, by the same submission', false, false, 0.1],
    ['was retried, and the connection runs the script again', true, false, 0.3],
    ['was removed, and the connection runs the script again', false, true, 0.3],
  ])('that are late are counted once if their row %s', async (_, isRetried, isRemoved, spent) => {
    await using stores = await openStores(redis.url);
    const [id = ''] = await stores.add(1);
    // What is kept is spent when the row is retried or removed.
    const settlement = isRetried || isRemoved ? undecided : charged(0.1);
    const turn = await ended(stores, id, { to: 'unknown', settlement });
    const row = await stores.first.readJob(id);
    if (!row) throw new Error('no row');
    if (isRetried) {
      await stores.first.retry(id, row.key, afterRetry(row, 'new key', 0, 1));
      await admitted(stores, id, 0.4);
    }
    if (isRemoved) await stores.first.remove(id);
    for (let run = 0; run < 2; run += 1) {
      const isLate = await stores.first.rows.countLateCharge({ ...row, turn }, 0.2);
      expect(isLate).toBe(isRetried || isRemoved);
    }
    // The reservation of the next submission stays.
    const { spent: total, reserved } = await stores.spend();
    expect([total.toFixed(3), reserved]).toEqual([spent.toFixed(3), isRetried ? 0.4 : 0]);
  });

  test('that are late are counted for each submission, and once if their row is removed meanwhile', async () => {
    await using stores = await openStores(redis.url);
    const [id = ''] = await stores.add(1);
    const turns: string[] = [];
    for (let run = 0; run < 3; run += 1) {
      turns.push(await ended(stores, id, { to: 'unknown' }));
      const row = await stores.first.readJob(id);
      if (!row) throw new Error('no row');
      await stores.first.retry(id, row.key, afterRetry(row, `key ${run}`, 0, 1));
    }
    const row = await stores.first.readJob(id);
    if (!row) throw new Error('no row');
    const { rows } = stores.first;
    const countAll = async () => {
      for (const turn of turns)
        expect(await rows.countLateCharge({ ...row, turn }, 0.1)).toBe(true);
    };
    await countAll();
    await countAll();
    expect((await stores.spend()).spent).toBeCloseTo(0.3);
    expect(await stores.first.remove(id)).toBe(true);
    await countAll();
    expect((await stores.spend()).spent).toBeCloseTo(0.3);
    expect(await stores.redis.ttl(stores.key('late'))).toBeGreaterThan(0);
  });

  test.each([
    ['succeeded', 'removed'],
    // Its response has reported a charge, but could not be read.
    ['unknown', 'removed'],
    ['unknown', 'retried'],
  ] as const)(
    'are counted once if their row is %s and %s before the connection repeats their move',
    async (to, next) => {
      await using stores = await openStores(redis.url);
      const [id = ''] = await stores.add(1);
      const turn = await ended(stores, id, { to, settlement: charged(0.1) });
      const row = await stores.first.readJob(id);
      if (!row) throw new Error('no row');
      if (next === 'removed') await stores.first.remove(id);
      else await stores.first.retry(id, row.key, afterRetry(row, 'new key', 0, 1));
      expect(await stores.first.rows.countLateCharge({ ...row, turn }, 0.1)).toBe(false);
      expect((await stores.spend()).spent).toBeCloseTo(0.1);
    },
  );
});

/** Attempts of a row that are charged each. What a queue counts is compared with the invoice of the service. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { GenerationQueueOptions } from '../../../src/integrations/bullmq/index.ts';
import { isRedisInstalled, startRedis } from './redis-server.ts';
import type { RedisServer } from './redis-server.ts';
import { setUp, until } from './setup.ts';

const messages = [{ role: 'user' as const, content: 'Label this.' }];
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `row ${index}`);
const sumOf = (amounts: readonly number[]) =>
  Math.round(amounts.reduce((sum, usd) => sum + usd, 0) * 1e9) / 1e9;

/** A service that carries out and charges every request. */
interface Service {
  /** Whether a response is replaced by a 500 with its charge. The requests are counted from 0. */
  readonly fails: (request: number) => boolean;
  readonly ignoresKeys?: boolean;
  /** Whether a response says nothing about its charge. */
  readonly isSilent?: (request: number) => boolean;
}

const everyOther = (request: number) => request % 2 === 0;

function fetchWith({ fails, ignoresKeys, isSilent }: Service): typeof fetch {
  let requests = 0;
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (ignoresKeys) headers.delete('x-idempotency-key');
    const response = await fetch(input, { ...init, headers });
    if (init?.method !== 'POST') return response;
    requests += 1;
    if (isSilent?.(requests - 1)) {
      const silent = new Headers(response.headers);
      silent.delete('x-svc-charge-usd');
      return new Response(response.body, { status: response.status, headers: silent });
    }
    if (!fails(requests - 1)) return response;
    const charge = ['x-svc-charge-usd', 'x-svc-idempotent-replay'].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    return Response.json(
      { error: { message: 'Failed', type: 'api_error', code: 'internal_error' } },
      { status: 500, headers: { 'retry-after': '0', ...Object.fromEntries(charge) } },
    );
  };
}

describe.skipIf(!isRedisInstalled)('attempts of a row that are charged', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  async function start(service: Service, queue: Partial<GenerationQueueOptions> = {}) {
    const client = { fetch: fetchWith(service), maxRetries: 2, retryAmbiguous: { chat: true } };
    const all = await setUp(redis.url, { mock: { assumptions: { A11: 'replay' } }, client, queue });
    const { gateway, mock, prefix } = all;
    const submissions = {
      image: (prompt: string) => gateway.images.submission({ model: 'prism-image', prompt }),
      chat: () => gateway.chat.completions.submission({ model: 'aurora-chat', messages }),
    };
    return {
      ...all,
      add: (kind: 'image' | 'chat', count: number) =>
        all.queue.addBulk(numbered(count), (id) => ({ id, submission: submissions[kind](id) })),
      invoice: () => sumOf(mock.invoice.map(({ usd }) => usd)),
      async said() {
        const { spent = 0, reserved = 0 } = await redis.client.hgetall(
          `${prefix}:pictures:polygate:spend`,
        );
        return { spentUsd: Number(spent) / 1e9, reservedUsd: Number(reserved) / 1e9 };
      },
    };
  }

  test.each([
    ['image', 0.02, 1],
    ['image', 0.02, 8],
    ['chat', 0.000024, 1],
    ['chat', 0.000024, 8],
  ] as const)(
    'keep the limit and are all counted if the service ignores keys: %s of %d USD, %i at a time',
    async (kind, priceUsd, concurrency) => {
      const maxUsd = sumOf([5 * priceUsd]);
      await using all = await start({ fails: everyOther, ignoresKeys: true }, { maxUsd });
      await all.add(kind, 20);
      all.queue.work({ concurrency });
      await until(() => all.queue.paused).toBe('budget');
      await until(async () => (await all.queue.count()).submitting).toBe(0);
      expect(all.invoice()).toBeLessThanOrEqual(maxUsd);
      expect((await all.said()).spentUsd).toBe(all.invoice());
    },
  );

  test.each([
    ['that ignores keys', true, 2],
    ['that replays keys', false, 1],
  ])(
    'are counted as the service charges them: image, at a service %s',
    async (_, ignoresKeys, charges) => {
      await using all = await start({ fails: everyOther, ignoresKeys }, { attempts: 1 });
      await all.add('image', 1);
      all.queue.work();
      expect(await all.queue.result('row 0')).toMatchObject({
        status: 'unknown',
        error: { outcome: 'unknown', message: expect.stringContaining('a charge of 0.02 USD') },
      });
      expect(await all.said()).toEqual({ spentUsd: 0.02, reservedUsd: 0 });
      await all.queue.retry('row 0');
      expect(await all.queue.result('row 0')).toMatchObject({ status: 'succeeded' });
      expect(all.invoice()).toBe(sumOf([charges * 0.02]));
      expect(await all.said()).toEqual({ spentUsd: all.invoice(), reservedUsd: 0 });
    },
  );

  test.each([
    ['that ignores keys', true, 3],
    ['that replays keys', false, 1],
  ])(
    'are counted as the service charges them: chat, at a service %s',
    async (_, ignoresKeys, charges) => {
      await using all = await start(
        { fails: (request) => request < 2, ignoresKeys },
        { maxUsd: 1 },
      );
      await all.add('chat', 1);
      all.queue.work();
      expect(await all.queue.result('row 0')).toMatchObject({ status: 'succeeded' });
      expect(all.posts()).toBe(3);
      expect(all.mock.invoice).toHaveLength(charges);
      expect(await all.said()).toEqual({ spentUsd: all.invoice(), reservedUsd: 0 });
    },
  );

  test('count as such if they were rejected for lack of a slot', async () => {
    await using all = await start({ fails: () => false }, { attempts: 1 });
    all.mock.fail({
      route: 'POST /v1/images/tasks',
      status: 429,
      code: 'concurrency_limit_exceeded',
      headers: { 'x-svc-charge-usd': '0.02' },
    });
    await all.add('image', 1);
    all.queue.work();
    expect(await all.queue.result('row 0')).toMatchObject({ status: 'unknown' });
    expect(all.posts()).toBe(1);
    expect(await all.said()).toEqual({ spentUsd: 0.02, reservedUsd: 0 });
  });

  test('of a chat count as one more if the last one was lost', async () => {
    await using all = await start({ fails: () => true, ignoresKeys: true }, { maxUsd: 1 });
    all.mock.fail({ route: 'POST /v1/chat/completions', reset: 'after', attempt: [2, 3] });
    await all.add('chat', 1);
    all.queue.work();
    const { status, error } = await all.queue.result('row 0');
    const [{ usd } = { usd: 0 }] = all.mock.invoice;
    expect(status).toBe('unknown');
    expect(error?.message).toContain(`The service reported a charge of ${usd} USD`);
    expect(await all.said()).toEqual({ spentUsd: sumOf([usd, usd]), reservedUsd: 0 });
  });

  test('of a chat are counted if it fails, and do not raise what others reserve', async () => {
    await using all = await start({ fails: (request) => request < 3, ignoresKeys: true });
    await all.add('chat', 1);
    all.queue.work();
    const { status, error } = await all.queue.result('row 0');
    expect(status).toBe('unknown');
    expect(all.mock.invoice).toHaveLength(3);
    expect(error?.message).toContain(`The service reported charges of ${all.invoice()} USD`);
    expect(await all.said()).toEqual({ spentUsd: all.invoice(), reservedUsd: 0 });
    const known = await redis.client.hgetall(`${all.prefix}:pictures:polygate:charges`);
    const [{ usd } = { usd: 0 }] = all.mock.invoice;
    expect(Number(known['largest:/v1/chat/completions']) / 1e9).toBe(usd);
  });

  test.each([
    ['that ignores keys', true, 0.04],
    ['that replays keys', false, 0.02],
  ])(
    'count with the success that reports no charge: image, at a service %s',
    async (_, ignoresKeys, usedUsd) => {
      const service = { fails: (request: number) => request === 0, ignoresKeys };
      const isSilent = (request: number) => request === 1;
      await using all = await start({ ...service, isSilent }, { attempts: 1 });
      await all.add('image', 1);
      all.queue.work();
      await all.queue.result('row 0');
      await all.queue.retry('row 0');
      expect(await all.queue.result('row 0')).toMatchObject({ status: 'succeeded' });
      expect(all.invoice()).toBe(usedUsd);
      expect(await all.said()).toEqual({ spentUsd: usedUsd, reservedUsd: 0 });
    },
  );

  test('leave their key free at a limit that is used up, also if another row has paused the queue', async () => {
    const fails = (request: number) => request === 0;
    await using all = await start({ fails }, { attempts: 1, maxUsd: 0.02 });
    await all.add('image', 2);
    all.queue.work({ concurrency: 1 });
    expect(await all.queue.result('row 0')).toMatchObject({ status: 'unknown' });
    await until(() => all.queue.paused).toBe('budget');
    await all.queue.retry('row 0');
    expect(await all.queue.result('row 0')).toMatchObject({ status: 'succeeded' });
    expect((await all.queue.count()).waiting).toBe(1);
    expect(all.invoice()).toBe(0.02);
    expect(await all.said()).toEqual({ spentUsd: 0.02, reservedUsd: 0 });
  });

  test.each([
    ['pauses the queue', 1],
    ['finds it paused', 2],
  ])('end a row whose next request may cost more than the limit, if it %s', async (_, rows) => {
    const fails = (request: number) => request < 2;
    await using all = await start({ fails, ignoresKeys: true }, { attempts: 1, maxUsd: 0.05 });
    await all.add('image', 1);
    all.queue.work({ concurrency: 1 });
    expect(await all.queue.result('row 0')).toMatchObject({ status: 'unknown' });
    await all.queue.retry('row 0');
    await until(all.posts).toBe(2);
    await until(async () => (await all.queue.get('row 0'))?.status).toBe('unknown');
    await all.add('image', rows);
    if (rows > 1) await until(() => all.queue.paused).toBe('budget');
    await all.queue.retry('row 0');
    const { status, error } = await all.queue.result('row 0');
    expect(status).toBe('unknown');
    expect(error).toMatchObject({
      name: 'BudgetExceededError',
      outcome: 'unknown',
      message: expect.stringContaining('0.04 of 0.05 USD spent'),
    });
    expect(all.queue.paused).toBe('budget');
    expect(all.invoice()).toBe(0.04);
  });

  test('leave nothing reserved for a retry that is rejected', async () => {
    const fails = (request: number) => request < 2;
    await using all = await start({ fails, ignoresKeys: true }, { attempts: 1, maxUsd: 0.07 });
    await all.add('image', 1);
    all.queue.work({ concurrency: 1 });
    await all.queue.result('row 0');
    await all.queue.retry('row 0');
    await until(all.posts).toBe(2);
    await all.queue.result('row 0');
    all.mock.fail({
      route: 'POST /v1/images/tasks',
      status: 404,
      code: 'model_not_found',
      times: 1,
    });
    await all.queue.retry('row 0');
    await until(all.posts).toBe(3);
    expect(await all.queue.result('row 0')).toMatchObject({ status: 'unknown' });
    expect(await all.said()).toEqual({ spentUsd: 0.04, reservedUsd: 0 });
    // The rest of the limit covers another row.
    await all.add('image', 2);
    expect(await all.queue.result('row 1')).toMatchObject({ status: 'succeeded' });
    expect(all.invoice()).toBe(0.06);
  });
});

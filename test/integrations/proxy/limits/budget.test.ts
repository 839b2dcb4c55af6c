import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fileStore } from 'polygate/node';
import { memoryStore } from 'polygate/proxy';
import type { ProxyOptions, Store } from 'polygate/proxy';
import { redisStore } from 'polygate/proxy/redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { isRedisInstalled, startRedis } from '../../bullmq/redis-server.ts';
import type { RedisServer } from '../../bullmq/redis-server.ts';
import { mount, sendRaw, startProxy } from '../support.ts';
import type { ProxySetup } from '../support.ts';
import { chargedUsd, chat, failingStore, image, imageUsd } from './support.ts';

const once = { maxRetries: 0 };
const budgetPath = `${mount}/budget`;
const limits = { usd: 1, requests: 10 };
const submits = 'POST /v1/images/tasks';

/** Requests the budget, as the page of a user does. */
async function budgetOf({ origin }: Pick<ProxySetup, 'origin'>, user = 'ann') {
  const { status, code, body } = await read({ origin }, { 'x-user': user });
  return { status, code, budget: JSON.parse(body) };
}

const read = (
  { origin }: Pick<ProxySetup, 'origin'>,
  headers: Record<string, string> = {},
  { method = 'GET', path = budgetPath } = {},
) => sendRaw(origin, { method, path, headers });

async function inTemporaryFile(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'polygate-budget-'));
  const store = fileStore(join(folder, 'store.jsonl'));
  await store.ready();
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return store;
}

/** A store that someone wrote before there were budgets, with nothing but the methods of the interface. */
function ownStore(): Store {
  const inner = memoryStore();
  return {
    reserve: (reservation) => inner.reserve(reservation),
    settle: (settlement) => inner.settle(settlement),
    renew: (...lease) => inner.renew(...lease),
    usage: (user, windowMs) => inner.usage(user, windowMs),
    own: (...owned) => inner.own(...owned),
    ownersOf: (resources) => inner.ownersOf(resources),
  };
}

let redis: RedisServer | undefined;
beforeAll(async () => {
  if (isRedisInstalled) redis = await startRedis();
});
afterAll(() => redis?.[Symbol.asyncDispose]());

const stores: [string, () => Store | Promise<Store>][] = [
  ['memory', memoryStore],
  ['a file', inTemporaryFile],
  ['a store of your own', ownStore],
];
if (isRedisInstalled) {
  stores.push([
    'Redis',
    () => (redis ? redisStore(redis.client, { prefix: crypto.randomUUID() }) : memoryStore()),
  ]);
}

test.each(stores)('a budget in %s agrees with the invoice', async (_, makeStore) => {
  const setup = await startProxy({ limits, budgetPath, store: await makeStore() });
  const { mock, page } = setup;
  const fresh = { spentUsd: 0, reservedUsd: 0, remainingUsd: 1, requests: 0 };
  expect((await budgetOf(setup)).budget).toMatchObject({ ...fresh, remainingRequests: 10 });
  const client = page(once);
  await client.images.submit(image, { idempotencyKey: 'k' });
  await client.images.submit(image, { idempotencyKey: 'k' });
  await client.chat.completions.create(chat);
  await client.chat.completions.stream(chat).final();
  const { status, budget } = await budgetOf(setup);
  expect(status).toBe(200);
  const spentUsd = chargedUsd(mock);
  expect(spentUsd).toBeGreaterThan(imageUsd);
  expect(budget).toEqual({
    limitUsd: 1,
    spentUsd,
    reservedUsd: 0,
    remainingUsd: Number((1 - spentUsd).toFixed(9)),
    limitRequests: 10,
    requests: 4,
    remainingRequests: 6,
    windowEndsAt: (await setup.handler.usage('ann')).windowEndsAt.toISOString(),
    reloadInMs: expect.any(Number),
  });
});

describe('a budget', () => {
  test('counts what is reserved for a lost response until it is known', async () => {
    const setup = await startProxy({ limits, budgetPath });
    setup.mock.fail({ route: submits, reset: 'after', times: 1 });
    const client = setup.page(once);
    const submit = () => client.images.submit(image, { idempotencyKey: 'k' });
    await expect(submit()).rejects.toThrow(/./);
    const reserved = { spentUsd: 0, reservedUsd: imageUsd, remainingUsd: 1 - imageUsd };
    expect((await budgetOf(setup)).budget).toMatchObject(reserved);
    await submit();
    const spent = { spentUsd: imageUsd, reservedUsd: 0, remainingUsd: 1 - imageUsd };
    expect((await budgetOf(setup)).budget).toMatchObject(spent);
    expect(chargedUsd(setup.mock)).toBe(imageUsd);
  });

  test('is 0 and not less after a chat that has cost more than was reserved for it', async () => {
    const setup = await startProxy({ limits: { usd: 1e-6, chatUsd: 1e-9 }, budgetPath });
    await setup.page(once).chat.completions.create(chat);
    const spentUsd = chargedUsd(setup.mock);
    expect(spentUsd).toBeGreaterThan(1e-6);
    expect((await budgetOf(setup)).budget).toMatchObject({ spentUsd, remainingUsd: 0 });
  });

  test('of a limit of 0 is 0', async () => {
    const setup = await startProxy({ limits: { usd: 0, requests: 0 }, budgetPath });
    const none = { limitUsd: 0, remainingUsd: 0, limitRequests: 0, remainingRequests: 0 };
    expect((await budgetOf(setup)).budget).toMatchObject(none);
  });

  test.each<[string, ProxyOptions['limits'], string[]]>([
    ['without limits is empty', undefined, []],
    ['of a user without limits is empty', () => undefined, []],
    [
      'that only counts has no limits',
      {},
      ['spentUsd', 'reservedUsd', 'requests', 'windowEndsAt', 'reloadInMs'],
    ],
    [
      'that is forever has no end',
      { usd: 1, window: 'forever' },
      ['limitUsd', 'spentUsd', 'reservedUsd', 'remainingUsd', 'requests'],
    ],
  ])('%s', async (_, given, names) => {
    const setup = await startProxy({ limits: given, budgetPath });
    expect(Object.keys((await budgetOf(setup)).budget)).toEqual(names);
  });

  test('has no amounts in USD if pages may not see charges', async () => {
    const setup = await startProxy({ limits, budgetPath, exposeCharges: false });
    await setup.page(once).images.submit(image);
    const { budget } = await budgetOf(setup);
    expect(budget).toMatchObject({ limitRequests: 10, requests: 1, remainingRequests: 9 });
    expect(JSON.stringify(budget)).not.toMatch(/usd/i);
  });

  test('is read again by pages at different times, after the end of the window', async () => {
    const setup = await startProxy({ limits: { usd: 1, window: 315_360_000_000 }, budgetPath });
    expect((await budgetOf(setup)).budget.reloadInMs).toBe(2 ** 31 - 1);
    const hourly = await startProxy({ limits: { usd: 1, window: '1h' }, budgetPath });
    const budgets = await Promise.all(Array.from({ length: 20 }, () => budgetOf(hourly)));
    const waits = budgets.map(({ budget }) => budget.reloadInMs);
    expect(new Set(waits).size).toBeGreaterThan(1);
    const left = Date.parse(budgets[0]?.budget.windowEndsAt) - Date.now();
    expect(Math.min(...waits)).toBeGreaterThan(left);
  });

  test('has the limits that a function returns for this user and request', async () => {
    const plans: ProxyOptions['limits'] = async (user, { headers }) => ({
      usd: user === 'ann' ? 1 : 2,
      requests: Number(headers.get('x-plan')),
    });
    const setup = await startProxy({ limits: plans, budgetPath });
    const reply = await read(setup, { 'x-user': 'bob', 'x-plan': '7' });
    expect(JSON.parse(reply.body)).toMatchObject({ limitUsd: 2, limitRequests: 7 });
  });
});

describe('the path of the budget', () => {
  test('shows each user only their own numbers, whatever they send', async () => {
    const setup = await startProxy({ limits, budgetPath, isolate: true });
    await setup.page(once, 'bob').images.submit(image);
    const untouched = { spentUsd: 0, remainingUsd: 1, requests: 0, remainingRequests: 10 };
    const attempts: [path: string, headers?: Record<string, string>][] = [
      [budgetPath],
      [`${budgetPath}/`],
      [`${budgetPath}/bob/%2e%2e`],
      [`${budgetPath}/bob/../../budget`],
      [budgetPath, { 'x-user-id': 'bob', user: 'bob', from: 'bob', authorization: 'Bearer bob' }],
      [budgetPath, { cookie: 'user=bob', 'x-polygate-attempt': 'bob', 'x-idempotency-key': 'bob' }],
    ];
    for (const [path, headers] of attempts) {
      const { status, body } = await read(setup, { ...headers, 'x-user': 'ann' }, { path });
      expect([path, status]).toEqual([path, 200]);
      expect(JSON.parse(body)).toMatchObject(untouched);
    }
    const others = ['/bob', '?user=bob', '?x-user=bob', '//', '%00', ';user=bob'];
    for (const suffix of others) {
      const path = budgetPath + suffix;
      const { status, body } = await read(setup, { 'x-user': 'ann' }, { path });
      expect([path, status]).toEqual([path, 404]);
      expect(body).not.toMatch(/usd/i);
    }
    const spent = { spentUsd: imageUsd, requests: 1 };
    expect((await budgetOf(setup, 'bob')).budget).toMatchObject(spent);
    // In parallel, and in both orders.
    const users = Array.from({ length: 20 }, (_, index) => (index % 2 ? 'bob' : 'ann'));
    const all = await Promise.all(users.map((user) => budgetOf(setup, user)));
    expect(all.map(({ budget }) => budget.requests)).toEqual(
      users.map((user) => +(user === 'bob')),
    );
  });

  test('responds with a 401 to unknown callers, and with a 500 if authorize throws', async () => {
    const setup = await startProxy({ limits, budgetPath });
    expect(await read(setup)).toMatchObject({ status: 401, code: 'sign_in_required' });
    const authorize = () => Promise.reject(new Error('No database'));
    const broken = await startProxy({ limits, budgetPath, authorize });
    expect(await budgetOf(broken)).toMatchObject({ status: 500, code: 'internal_error' });
    expect(broken.reports).toHaveLength(1);
  });

  test.each(['POST', 'DELETE', 'PUT', 'HEAD'])('does not respond to %s', async (method) => {
    const setup = await startProxy({ limits, budgetPath });
    expect((await read(setup, { 'x-user': 'ann' }, { method })).status).toBe(404);
  });

  test('is not stored, and sends nothing to the gateway', async () => {
    const called: string[] = [];
    const setup = await startProxy({
      limits,
      budgetPath,
      permit: () => (called.push('permit'), false),
      onResponse: () => void called.push('onResponse'),
    });
    const { status, headers } = await read(setup, { 'x-user': 'ann' });
    expect(status).toBe(200);
    expect(headers['cache-control']).toContain('no-store');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(setup.mock.requests).toEqual([]);
    expect(called).toEqual([]);
  });

  test('has the same rules for other origins as every route', async () => {
    const page = 'https://app.example';
    const setup = await startProxy({ limits, budgetPath, origins: [page], credentials: true });
    const allowed = await read(setup, { 'x-user': 'ann', origin: page });
    expect(allowed).toMatchObject({
      status: 200,
      headers: {
        'access-control-allow-origin': page,
        'access-control-allow-credentials': 'true',
        vary: 'origin',
      },
    });
    const preflight = await read(setup, { origin: page }, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const reply = await read(setup, { 'x-user': 'ann', ...headers });
      expect(reply).toMatchObject({ status: 403, code: 'origin_not_allowed' });
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test.each(['refuse', 'allow'] as const)(
    'responds with a 503 if the store fails, also with onStoreError: %s',
    async (onStoreError) => {
      const { store, state } = failingStore();
      const setup = await startProxy({ limits, budgetPath, store, onStoreError });
      state.isDown = true;
      const failed = { status: 503, code: 'store_unavailable' };
      expect(await budgetOf(setup)).toMatchObject(failed);
      expect(setup.reports).toMatchObject([{ message: 'No connection to the store' }]);
      state.isDown = false;
      expect((await budgetOf(setup)).status).toBe(200);
    },
  );

  test('is only there if it is set', async () => {
    const setup = await startProxy({ limits });
    expect(await budgetOf(setup)).toMatchObject({ status: 404, code: 'not_found' });
  });

  test.each(['budget', '/', '', '/a//b', '/a/', '/../budget', '/budget?x', 1])(
    'must be a path: %o',
    async (path) => {
      const options = { budgetPath: path } as Partial<ProxyOptions>;
      await expect(startProxy(options)).rejects.toThrow('budgetPath: ');
    },
  );
});

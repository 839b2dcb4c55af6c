import { describe, expect, test } from 'vitest';

import { blockers, ResponseValidationError } from '../../src/index.ts';
import { defaultModels } from '../../src/mock/models.ts';
import { jsonReply, caught, clientOf, onMock, scripted } from '../client/support.ts';
import { headers, records } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';
import * as bodies from '../wire/bodies.ts';

const authorization = (key: string) => `Bearer ${key}`;

describe('account.retrieve()', () => {
  test('sends GET /v1/account with the key and no body', async () => {
    const { gateway, mock } = onMock();
    await gateway.account.retrieve();
    expect(mock.requests).toMatchObject([
      { method: 'GET', path: '/v1/account', search: '', bodyText: '', body: undefined },
    ]);
    expect(mock.requests[0]?.headers).toMatchObject({
      authorization: authorization(mock.apiKey),
      accept: 'application/json',
    });
    expect(mock.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  test.each(rows(records.Account))('returns %s', async (_, field) => {
    const { gateway } = onMock();
    const { data, response } = await gateway.account.retrieve().withResponse();
    expect(response.status).toBe(200);
    const sent = await (await gateway.account.retrieve().asResponse()).json();
    expect(difference(field, [{ read: data, sent }])).toBeUndefined();
  });

  test('returns the balance in two currencies, the concurrency limit and its source', async () => {
    const { gateway } = onMock({ wallet: { usd: 12.5 }, concurrencyLimit: 3 });
    expect(await gateway.account.retrieve()).toEqual({
      object: 'account',
      wallet: 'unified',
      balance: { usd: 12.5, cny: 90, shared: true },
      concurrency: { limit: 3, source: 'user_override' },
      models: { available: defaultModels.length },
    });
  });

  test.each([
    ['api_key_override', { keys: [{ key: 'sk-one', concurrencyLimit: 2 }] }, 2],
    ['user_override', { concurrencyLimit: 5 }, 5],
    ['tier_enterprise', {}, 8],
  ])('returns the concurrency source %s', async (source, settings, limit) => {
    const { gateway } = onMock(settings);
    const { data, meta } = await gateway.account.retrieve().withResponse();
    expect(data.concurrency).toEqual({ limit, source });
    expect(meta.concurrency).toMatchObject({ limit, source });
  });

  test.each(headers['Headers of GET /account'])('reads the header %s into meta', async (name) => {
    const { gateway } = onMock({ wallet: { usd: 12.5 }, concurrencyLimit: 3 });
    const { meta } = await gateway.account.retrieve({ requestId: 'mine-1' }).withResponse();
    const read: Record<string, unknown> = {
      'x-request-id': meta.requestId,
      'x-svc-wallet': meta.wallet,
      'x-svc-balance-usd': meta.balanceUsd,
      'x-svc-balance-cny': meta.balanceCny,
      'x-svc-concurrency-limit': meta.concurrency.limit,
      'x-svc-concurrency-source': meta.concurrency.source,
    };
    const expected: Record<string, unknown> = {
      'x-request-id': 'mine-1',
      'x-svc-wallet': 'unified',
      'x-svc-balance-usd': 12.5,
      'x-svc-balance-cny': 90,
      'x-svc-concurrency-limit': 3,
      'x-svc-concurrency-source': 'user_override',
    };
    expect(read[name]).toBe(expected[name]);
    expect(meta.headers.get(name)).toBe(String(expected[name]));
  });
});

describe('account.readiness()', () => {
  test('sends GET /v1/readiness with the key', async () => {
    const { gateway, mock } = onMock();
    await gateway.account.readiness();
    expect(mock.requests).toMatchObject([
      { method: 'GET', path: '/v1/readiness', search: '', bodyText: '' },
    ]);
    expect(mock.requests[0]?.headers.authorization).toBe(authorization(mock.apiKey));
  });

  test.each(rows(records.Readiness))('returns %s', async (_, field) => {
    const { gateway } = onMock();
    const read = await gateway.account.readiness();
    const sent = await (await gateway.account.readiness().asResponse()).json();
    expect(difference(field, [{ read, sent }])).toBeUndefined();
  });

  test.each(headers['Headers of GET /readiness'])('reads the header %s into meta', async (name) => {
    const { gateway } = onMock({ wallet: { usd: 0 }, concurrencyLimit: 3 });
    const { meta } = await gateway.account.readiness({ requestId: 'mine-2' }).withResponse();
    const read: Record<string, [unknown, unknown]> = {
      'x-request-id': [meta.requestId, 'mine-2'],
      'x-svc-wallet': [meta.wallet, 'unified'],
      'x-svc-readiness-score': [meta.readiness?.score, 50],
      'x-svc-readiness-status': [meta.readiness?.status, 'blocked'],
      'x-svc-concurrency-limit': [meta.concurrency.limit, 3],
    };
    const [value, expected] = read[name] ?? [];
    expect(expected).toBeDefined();
    expect(value).toBe(expected);
  });

  test('returns the documented checks, and blockers() returns those that are required but not ready', async () => {
    const funded = await onMock().gateway.account.readiness();
    expect(funded.status).toBe('ready');
    expect(funded.checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['api_key', 'unified_wallet']),
    );
    expect(blockers(funded)).toEqual([]);
    const unfunded = await onMock({ wallet: { usd: 0 }, models: [] }).gateway.account.readiness();
    expect(unfunded.status).not.toBe('ready');
    expect(unfunded.checks.filter(({ status }) => status !== 'ready')).toHaveLength(2);
    expect(blockers(unfunded)).toEqual([
      { id: 'unified_wallet', status: 'blocked', required: true },
    ]);
  });
});

describe('account.balance()', () => {
  test('sends GET /api/usage/balance, outside /v1, with the key', async () => {
    const { gateway, mock } = onMock();
    await gateway.account.balance();
    expect(mock.requests).toMatchObject([
      { method: 'GET', path: '/api/usage/balance', search: '', bodyText: '' },
    ]);
    expect(mock.requests[0]?.headers.authorization).toBe(authorization(mock.apiKey));
  });

  test.each(rows(records['Key balance record']))('returns %s', async (_, field) => {
    const { gateway } = onMock();
    const read = await gateway.account.balance();
    const sent = await (await gateway.account.balance().asResponse()).json();
    expect(difference(field, [{ read, sent }])).toBeUndefined();
  });

  test("returns the owner's balance in quota units (500,000 per dollar) and the key's own quota", async () => {
    const { gateway } = onMock({ wallet: { usd: 2 } });
    await gateway.images.submit({ model: 'prism-image', prompt: 'A harbor' });
    const { success, message, data } = await gateway.account.balance();
    expect({ success, message }).toEqual({ success: true, message: '' });
    expect(data.balance).toMatchObject({ quota: 990_000, amount: 1.98, quota_per_unit: 500_000 });
    const { remain_quota: left, used_quota: used, total_quota: total } = data.token;
    expect(used).toBe(10_000);
    expect(total).toBe(left + used);
    expect(data.token).toMatchObject({ expired_time: -1, status: 1, model_limits: {} });
  });

  test.each([
    ['CNY', '¥', 7.2],
    ['CUSTOM', '€', 0.9],
    ['TOKENS', 'tokens', 500_000],
    ['GOLD', 'oz', 0.0004],
  ])('returns the display type %s unchanged', async (type, symbol, rate) => {
    const display = { quota_display_type: type, currency_symbol: symbol, exchange_rate: rate };
    const { data } = bodies.keyBalance;
    const body = {
      ...bodies.keyBalance,
      data: { ...data, balance: { ...data.balance, ...display } },
    };
    const gateway = clientOf(scripted(jsonReply(200, body)).fetch);
    expect((await gateway.account.balance()).data.balance).toMatchObject(display);
  });
});

describe('a response that differs from the documentation', () => {
  test.each([
    ['account.retrieve()', 'account', { ...bodies.account, region: { id: 7 }, wallet: 'split' }],
    ['account.readiness()', 'readiness', { ...bodies.readiness, next_actions: [], score: null }],
    ['account.balance()', 'balance', { ...bodies.keyBalance, data: { balance: {}, extra: [1] } }],
  ] as const)('is returned unchanged by %s', async (_, call, body) => {
    const { account } = clientOf(scripted(jsonReply(200, body)).fetch);
    const calls = {
      account: () => account.retrieve(),
      readiness: () => account.readiness(),
      balance: () => account.balance(),
    };
    expect(await calls[call]()).toEqual(body);
  });

  test.each([
    ['no checks', { ...bodies.readiness, checks: undefined }],
    ['checks that are not a list', { ...bodies.readiness, checks: {} }],
    ['a check without a status', { ...bodies.readiness, checks: [{ id: 'api_key' }] }],
  ])(
    'is rejected with body and meta if a field that the client needs is invalid: %s',
    async (_, body) => {
      const responseHeaders = { 'x-request-id': 'req-5' };
      const gateway = clientOf(scripted(jsonReply(200, body, responseHeaders)).fetch);
      const error = await rejection(
        ResponseValidationError,
        Promise.resolve(gateway.account.readiness()),
      );
      expect(error.body).toEqual(JSON.parse(JSON.stringify(body)));
      expect(error.meta).toMatchObject({ status: 200, requestId: 'req-5' });
      expect(error.issues?.[0]?.path?.[0]).toBe('checks');
    },
  );

  test('is rejected if it is not a record', async () => {
    for (const body of [[], 'text', 7, null]) {
      const gateway = clientOf(scripted(jsonReply(200, body)).fetch);
      expect((await caught(gateway.account.retrieve())).name).toBe('ResponseValidationError');
      expect((await caught(gateway.account.balance())).name).toBe('ResponseValidationError');
    }
  });
});

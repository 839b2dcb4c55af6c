import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import { callerOf, chat, codeOf, image } from '../caller.ts';

const mock = createMockGateway({
  clock: 'virtual',
  keys: [
    { key: 'sk-one', user: 7, state: 'enabled' },
    { key: 'sk-two', user: 7, state: 'enabled' },
    { key: 'sk-off', user: 8, state: 'disabled' },
    { key: 'sk-other', user: 9, state: 'enabled' },
  ],
});
const get = (path: string, headers: Record<string, string> = {}) =>
  mock.fetch(mock.baseURL + path, { headers });

test('apiKey is the first key', () => {
  expect(mock.apiKey).toBe('sk-one');
});

test.each([
  ['/v1/account', {}, 401, 'api_key_required'],
  ['/v1/account', { authorization: 'Bearer ' }, 401, 'api_key_required'],
  ['/v1/account', { authorization: 'Bearer sk-unknown' }, 401, 'invalid_api_key'],
  ['/v1/account', { authorization: 'sk-one' }, 401, 'invalid_api_key'],
  ['/v1/account', { authorization: 'Bearer sk-off' }, 403, 'api_key_disabled'],
  ['/v1/account', { 'x-api-key': 'sk-one' }, 401, 'api_key_required'],
  ['/v1/models', {}, 401, 'api_key_required'],
  ['/v1/models', { 'x-goog-api-key': 'sk-off' }, 403, 'api_key_disabled'],
])('%s with the headers %o returns %i %s', async (path, headers, status, code) => {
  const response = await get(path, headers);
  expect(response.status).toBe(status);
  expect(await codeOf(response)).toBe(code);
});

test.each([
  [{}, 401, 'Token not provided'],
  [{ authorization: 'Bearer sk-unknown' }, 401, 'Invalid token'],
  [{ authorization: 'Bearer sk-off' }, 403, 'Token invalid'],
])(
  'the key balance with the headers %o returns its own error envelope',
  async (headers, status, message) => {
    const response = await get('/api/usage/balance', headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ success: false, message });
  },
);

test('every response carries a request id: that of the caller, or a new one', async () => {
  const custom = await get('/v1/status', { 'x-request-id': 'mine-1' });
  expect(custom.headers.get('x-request-id')).toBe('mine-1');
  for (const path of ['/v1/status', '/v1/account', '/nowhere', '/api/usage/balance', '/']) {
    expect((await get(path)).headers.get('x-request-id')).toMatch(/^req_\w{20}$/);
  }
  const invalid = await get('/v1/status', { 'x-request-id': 'with space' });
  expect(invalid.headers.get('x-request-id')).toMatch(/^req_/);
});

test('wallet, tasks and idempotency keys belong to the user, not to the API key', async () => {
  const [one, two, other] = ['sk-one', 'sk-two', 'sk-other'].map((key) => callerOf(mock, key));
  const headers = { 'x-idempotency-key': 'shared' };
  const task = await one!.submit('/v1/images/tasks', image, headers);
  const again = await two!.post('/v1/images/tasks', image, headers);
  expect(again.headers.get('x-svc-idempotent-replay')).toBe('true');
  expect((await again.json()).id).toBe(task.id);
  expect((await two!.read('/v1/account')).balance.usd).toBe(999.98);
  expect((await other!.read('/v1/account')).balance.usd).toBe(1000);
  const hidden = await other!.get(`/v1/images/tasks/${task.id}`);
  expect(hidden.status).toBe(404);
  expect(await codeOf(hidden)).toBe('task_not_found');
  const fresh = await other!.post('/v1/images/tasks', image, headers);
  expect(fresh.headers.has('x-svc-idempotent-replay')).toBe(false);
});

test('a key can be disabled and enabled while the gateway runs', async () => {
  const caller = callerOf(mock, 'sk-other');
  mock.setKeyState('sk-other', 'disabled');
  expect((await caller.get('/v1/account')).status).toBe(403);
  mock.setKeyState('sk-other', 'enabled');
  expect((await caller.get('/v1/account')).status).toBe(200);
});

test('the account and the readiness repeat values of their bodies in headers', async () => {
  const caller = callerOf(mock, 'sk-other');
  const account = await caller.get('/v1/account');
  expect(account.headers.get('x-svc-wallet')).toBe('unified');
  const { balance } = await account.json();
  expect(account.headers.get('x-svc-balance-usd')).toBe(String(balance.usd));
  expect(account.headers.get('x-svc-balance-cny')).toBe(String(balance.cny));
  const readiness = await caller.get('/v1/readiness');
  expect(readiness.headers.get('x-svc-readiness-status')).toBe('ready');
  expect(await readiness.json()).toMatchObject({
    object: 'readiness',
    status: 'ready',
    score: 100,
  });
});

test('an account with a zero balance is not ready, and its paid requests fail with a 402', async () => {
  const broke = createMockGateway({ wallet: { usd: 0 } });
  const caller = callerOf(broke);
  const readiness = await caller.read('/v1/readiness');
  expect(readiness.status).not.toBe('ready');
  const wallet = readiness.checks.find((check: { id: string }) => check.id === 'unified_wallet');
  expect(wallet).toMatchObject({ required: true });
  expect(wallet.status).not.toBe('ready');
  for (const [path, body] of [
    ['/v1/chat/completions', chat],
    ['/v1/images/tasks', image],
  ] as const) {
    const response = await caller.post(path, body);
    expect(response.status).toBe(402);
    expect(await codeOf(response)).toBe('insufficient_balance');
  }
  expect(broke.invoice).toEqual([]);
});

test('the key balance uses quota units, 500,000 per dollar', async () => {
  const balance = await callerOf(mock, 'sk-one').read('/api/usage/balance');
  expect(balance).toMatchObject({ success: true, message: '', data: { user_id: 7 } });
  const { quota, quota_per_unit: unit, amount } = balance.data.balance;
  expect(quota / unit).toBeCloseTo(amount, 6);
  const { remain_quota: remain, used_quota: used, total_quota: total } = balance.data.token;
  expect(total).toBe(remain + used);
});

test('the model list has three styles, and a model id can contain a slash', async () => {
  const caller = callerOf(mock);
  const list = await caller.read('/v1/models');
  const ids = list.data.map((model: { id: string }) => model.id);
  expect(list.object).toBe('list');
  const anthropic = await get('/v1/models', {
    'x-api-key': 'sk-one',
    'anthropic-version': '2023-06-01',
  });
  const native = await anthropic.json();
  expect(native.data.map((model: { id: string }) => model.id)).toEqual(ids);
  expect(native).toMatchObject({ has_more: false, first_id: ids[0], last_id: ids.at(-1) });
  for (const response of [
    await get('/v1/models', { 'x-goog-api-key': 'sk-one' }),
    await get('/v1/models?key=sk-one'),
  ]) {
    expect((await response.json()).models).toHaveLength(ids.length);
  }
  const model = await caller.read(`/v1/models/${encodeURIComponent('lumen/vision-chat')}`);
  expect(model.id).toBe('lumen/vision-chat');
  expect(await codeOf(await caller.get('/v1/models/nope'))).toBe('model_not_found');
  expect((await caller.get('/v1/models/%E0%A4%A')).status).toBe(404);
});

test.each([
  [401, 'Invalid token'],
  [403, 'Token invalid'],
  [500, 'Internal server error'],
])('an injected %i at the key balance uses its own error envelope', async (status, message) => {
  mock.fail({ route: 'GET /api/usage/balance', status, times: 1 });
  const response = await callerOf(mock).get('/api/usage/balance');
  expect([response.status, await response.json()]).toEqual([status, { success: false, message }]);
});

test('a wrong method at the key balance returns its own error envelope', async () => {
  const response = await callerOf(mock).post('/api/usage/balance', {});
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
  expect(await response.json()).toEqual({ success: false, message: expect.stringMatching(/GET/) });
});

test('the used quota belongs to the key, the remaining quota to its owner', async () => {
  const gateway = createMockGateway({
    keys: [
      { key: 'sk-one', user: 1 },
      { key: 'sk-two', user: 1 },
    ],
    wallet: { usd: 10 },
    tasks: {
      durationMs: 0,
      outcome: (submit) => (submit.prompt === 'bad' ? 'failed' : 'succeeded'),
    },
  });
  const [one, two] = ['sk-one', 'sk-two'].map((key) => callerOf(gateway, key));
  await one!.submit('/v1/images/tasks', image);
  await one!.submit('/v1/images/tasks', { ...image, prompt: 'bad' });
  const quota = async (caller = one!) => (await caller.read('/api/usage/balance')).data.token;
  const shared = { remain_quota: 4_990_000 };
  expect(await quota()).toMatchObject({ ...shared, used_quota: 10_000, total_quota: 5_000_000 });
  expect(await quota(two)).toMatchObject({ ...shared, used_quota: 0, total_quota: 4_990_000 });
});

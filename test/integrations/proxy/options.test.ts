import { NotFoundError } from 'polygate';
import { createProxyHandler, defaultRoutes, memoryStore, ownerRoutes } from 'polygate/proxy';
import type { ProxyOptions } from 'polygate/proxy';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import { thrown } from '../../client/support.ts';
import { allCalls, publicCalls } from '../../support/calls.ts';
import { rejection } from '../../support/rejection.ts';
import { canary, mount, startProxy, sendRaw } from './support.ts';

const validOptions: ProxyOptions = {
  apiKey: canary,
  baseURL: 'https://host.example',
  authorize: () => 'ann',
};

describe('an invalid option throws when the handler is created:', () => {
  test.each<[string, object]>([
    ['apiKey', { apiKey: undefined }],
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: `${canary}\r\nx: y` }],
    ['apiKey', { apiKey: null }],
    ['baseURL', { baseURL: undefined }],
    ['baseURL', { baseURL: 'host.example' }],
    ['baseURL', { baseURL: 'http://host.example' }],
    ['baseURL', { baseURL: 'https://user:pass@host.example' }],
    ['baseURL', { baseURL: 'https://host.example?to=evil' }],
    ['authorize', { authorize: undefined }],
    ['authorize', { authorize: true }],
    ['authorise', { authorise: () => 'ann' }],
    ['constructor', { constructor: true }],
    ['permit', { permit: 'everything' }],
    ['models', { models: 'aurora-chat' }],
    ['origins', { origins: ['*'] }],
    ['origins', { origins: ['null'] }],
    ['origins', { origins: ['https://*.app.example'] }],
    ['origins', { origins: ['https://app.example/'] }],
    ['origins', { origins: ['app.example'] }],
    ['origins', { origins: 'https://app.example' }],
    ['allow', { allow: ['*'] }],
    ['allow', { allow: ['GET /v1/*'] }],
    ['allow', { allow: ['/v1/models'] }],
    ['allow', { allow: ['GET https://evil.example/v1/models'] }],
    ['allow', { allow: ['GET /v1/../models'] }],
    ['allow', { allow: 'GET /v1/models' }],
    ['basePath', { basePath: 'api' }],
    ['basePath', { basePath: '/api/' }],
    ['basePath', { allow: ['GET /api/usage/balance'] }],
    ['maxBodyBytes', { maxBodyBytes: 0 }],
    ['maxBodyBytes', { maxBodyBytes: Number.NaN }],
  ])('%s: %o', (name, invalid) => {
    const create = () => createProxyHandler({ ...validOptions, ...invalid });
    expect(create).toThrow(new RegExp(`^${name}: `));
    const error = thrown(create);
    expect(ConfigurationError.is(error)).toBe(true);
    expect(create).not.toThrow(/canary/);
  });
});

test.each([
  ['authorise', 'authorize'],
  ['base_url', 'baseURL'],
  ['maxBodyByte', 'maxBodyBytes'],
])('the error for the unknown option %s suggests %s', (name, suggestion) => {
  const error = thrown(() => createProxyHandler({ ...validOptions, [name]: 1 }));
  expect(ConfigurationError.is(error)).toBe(true);
  expect(error.message).toBe(`${name}: unknown option. Did you mean ${suggestion}?`);
});

test.each([
  ['POST /v1/image/tasks', 'POST /v1/images/tasks'],
  ['POST /v1/chat/completion', 'POST /v1/chat/completions'],
  ['GET /v1/video/{taskId}', 'GET /v1/videos/{id}'],
  ['GET /v1/model', 'GET /v1/models'],
  ['get /v1/models', 'GET /v1/models'],
])('the error for the misspelled route %s suggests %s', (route, suggestion) => {
  const error = thrown(() => createProxyHandler({ ...validOptions, allow: [route] }));
  expect(ConfigurationError.is(error)).toBe(true);
  expect(error.message).toContain('allow: unknown route');
  expect(error.message).toContain(suggestion.replace('{id}', ''));
});

test.each([
  'POST /v1/images/edits',
  'GET /v1/usage/{day}?from&to',
  'GET /v1/images/tasks',
  'GET /v1/audio/voices/{voice_id}',
  'GET /v1/videos/{task_id}',
  'POST /v1/audio/speech',
])('the route %s is not taken for a misspelled one', (route) => {
  expect(createProxyHandler({ ...validOptions, allow: [route] })).toBeTypeOf('function');
});

test.each<[string, object]>([
  ['a base URL with the version', { baseURL: 'https://host.example/v1/' }],
  ['a loopback base URL', { baseURL: 'http://localhost:8787' }],
  ['a base URL of this machine without a name', { baseURL: 'http://0.0.0.0:8787' }],
  [
    'plain http with allowInsecureBaseURL',
    { baseURL: 'http://10.0.0.1', allowInsecureBaseURL: true },
  ],
  ['an empty basePath', { basePath: '', allow: ['GET /api/usage/balance'] }],
])('the handler accepts %s', (_, valid) => {
  expect(createProxyHandler({ ...validOptions, ...valid })).toBeTypeOf('function');
});

describe('allow', () => {
  test.each(allCalls)('controls $route', async ({ route, call }) => {
    const closed = await startProxy({ allow: [], basePath: mount });
    await rejection(NotFoundError, call(closed.page()));
    expect(closed.mock.requests).toEqual([]);

    const { mock, page } = await startProxy({ allow: [route], basePath: mount });
    await call(page()).catch(() => {});
    expect(mock.requests.length).toBeGreaterThan(0);
    const isPublic = publicCalls.some((endpoint) => endpoint.route === route);
    const key = isPublic ? undefined : `Bearer ${canary}`;
    expect(mock.requests[0]?.headers['authorization']).toBe(key);
  });

  test('defaults to every documented route except ownerRoutes', () => {
    const withoutNames = (route: string) => route.replace(/\{\w+\}/, '{}');
    const forwarded: string[] = defaultRoutes.map((route) => withoutNames(route));
    const missing = allCalls.filter(({ route }) => !forwarded.includes(withoutNames(route)));
    expect(new Set(missing.map(({ route }) => route))).toEqual(new Set(ownerRoutes));
    expect(ownerRoutes).toContain('GET /v1/account');
    expect(ownerRoutes).toContain('GET /v1/materials');
  });

  test('can add the list of materials, with its query parameters', async () => {
    const { mock, page } = await startProxy({ allow: [...defaultRoutes, 'GET /v1/materials'] });
    await page().materials.list({ type: 'image', limit: 5 });
    expect(mock.requests[0]).toMatchObject({ search: '?type=image&limit=5' });
  });

  test('can add undocumented paths, with the query parameters that it lists', async () => {
    const allow = ['GET /v1/usage/{day}?from&to', 'POST /v1/images/edits'];
    const { mock, origin, page } = await startProxy({ allow });
    const headers = { 'x-user': 'ann' };
    await sendRaw(origin, { path: `${mount}/v1/usage/monday?from=1&to=2`, headers });
    await sendRaw(origin, { path: `${mount}/v1/usage/monday?until=2`, headers });
    await page()
      .request({ method: 'POST', path: '/v1/images/edits', body: {} })
      .catch(() => {});
    expect(mock.requests.map(({ path, search }) => path + search)).toEqual([
      '/v1/usage/monday?from=1&to=2',
      '/v1/images/edits',
    ]);
  });
});

test.each([
  ['/api/gateway', '/api/gateway/v1/models', 200],
  ['/api/gateway', '/api/gateway2/v1/models', 404],
  ['/api/gateway', '/api/gatewax/v1/models', 404],
  ['/api/gateway', '/v1/models', 404],
  ['/api/gateway', '/x/api/gateway/v1/models', 404],
  ['/v1/gateway', '/v1/gateway/v1/models', 200],
  ['', '/v1/models', 200],
  ['', '/api/gateway/v1/models', 404],
])('with basePath %j, a request to %s gets a %i', async (basePath, path, status) => {
  const { origin } = await startProxy({ basePath });
  expect(await sendRaw(origin, { path, headers: { 'x-user': 'ann' } })).toMatchObject({ status });
});

test.each([
  ['with limits in memory, logs a warning', 'production', { limits: { usd: 1 } }, 1],
  [
    'with isolate in memory, logs a warning',
    'production',
    { isolate: true, store: memoryStore() },
    1,
  ],
  [
    'with another store, logs none',
    'production',
    { isolate: true, store: { ...memoryStore() } },
    0,
  ],
  ['that stores no more than attempts, logs none', 'production', {}, 0],
  ['in development, logs none', 'development', { isolate: true }, 0],
])('a proxy %s', async (_, env, options, count) => {
  vi.stubEnv('NODE_ENV', env);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => {
    warn.mockRestore();
    vi.unstubAllEnvs();
  });
  createProxyHandler({
    apiKey: canary,
    baseURL: 'https://host.example',
    authorize: () => 'ann',
    ...options,
  });
  expect(warn).toHaveBeenCalledTimes(count);
  if (count > 0) expect(String(warn.mock.calls)).toMatch(/fileStore.*redisStore/);
});

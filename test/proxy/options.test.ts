import { createProxyHandler, defaultRoutes, ownerRoutes } from 'polygate/proxy';
import type { ProxyOptions } from 'polygate/proxy';
import { NotFoundError } from 'polygate';
import { describe, expect, test } from 'vitest';

import { allCalls, publicCalls } from '../support/calls.ts';
import { rejection } from '../support/rejection.ts';
import { canary, mount, openWay, send } from './support.ts';

const material = { url: 'https://files.example/a.png', type: 'image' as const };
const good: ProxyOptions = {
  apiKey: canary,
  baseURL: 'https://host.example',
  authorize: () => 'ann',
};

describe('a mistake in the options shows at the start', () => {
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
  ])('%s: %o', (name, wrong) => {
    const make = () => createProxyHandler({ ...good, ...wrong });
    expect(make).toThrow(new RegExp(`^${name}: `));
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(/canary/);
  });

  test.each<[string, object]>([
    ['a base URL with the version', { baseURL: 'https://host.example/v1/' }],
    ['this machine', { baseURL: 'http://localhost:8787' }],
    ['another machine, on purpose', { baseURL: 'http://10.0.0.1', allowInsecureBaseURL: true }],
    ['an empty mount', { basePath: '', allow: ['GET /api/usage/balance'] }],
  ])('%s is none', (_, right) => {
    expect(createProxyHandler({ ...good, ...right })).toBeTypeOf('function');
  });
});

describe('allow', () => {
  test.each(allCalls)('decides about $route', async ({ route, call }) => {
    const closed = await openWay({ allow: [], basePath: mount });
    await rejection(NotFoundError, call(closed.page()));
    expect(closed.mock.requests).toEqual([]);

    const { mock, page } = await openWay({ allow: [route], basePath: mount });
    await call(page()).catch(() => {});
    expect(mock.requests.length).toBeGreaterThan(0);
    const isOpen = publicCalls.some((endpoint) => endpoint.route === route);
    const key = isOpen ? undefined : `Bearer ${canary}`;
    expect(mock.requests[0]?.headers['authorization']).toBe(key);
  });

  test('by default is all that is documented but what tells about the owner, or all users', () => {
    const plain = (route: string) => route.replace(/\{\w+\}/, '{}');
    const usual: string[] = defaultRoutes.map((route) => plain(route));
    const missing = allCalls.filter(({ route }) => !usual.includes(plain(route)));
    expect(new Set(missing.map(({ route }) => route))).toEqual(new Set(ownerRoutes));
    expect(ownerRoutes).toContain('GET /v1/account');
    expect(ownerRoutes).toContain('GET /v1/materials');
  });

  test('takes the list of materials, with its parameters', async () => {
    const { mock, page } = await openWay({ allow: [...defaultRoutes, 'GET /v1/materials'] });
    await page().materials.list({ type: 'image', limit: 5 });
    expect(mock.requests[0]).toMatchObject({ search: '?type=image&limit=5' });
  });

  test('takes paths that are not documented, with the parameters that it names', async () => {
    const allow = ['GET /v1/usage/{day}?from&to', 'POST /v1/images/edits'];
    const { mock, origin, page } = await openWay({ allow });
    const headers = { 'x-user': 'ann' };
    await send(origin, { path: `${mount}/v1/usage/monday?from=1&to=2`, headers });
    await send(origin, { path: `${mount}/v1/usage/monday?until=2`, headers });
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
])('basePath %j and a request to %s: %i', async (basePath, path, status) => {
  const { origin } = await openWay({ basePath });
  expect(await send(origin, { path, headers: { 'x-user': 'ann' } })).toMatchObject({ status });
});

describe('models', () => {
  const models = ['prism-image'];
  const post = (body: string) => ({
    method: 'POST',
    path: `${mount}/v1/images/tasks`,
    headers: { 'x-user': 'ann', 'content-type': 'application/json' },
    body,
  });

  test.each([
    ['another', '{"model":"tide-video"}', 403, 'model_not_allowed'],
    ['a list of models', '{"model":["prism-image"]}', 403, 'model_not_allowed'],
    ['null', '{"model":null}', 403, 'model_not_allowed'],
    ['a list', '[{"model":"prism-image"}]', 400, 'invalid_request_parameter'],
    ['no JSON', '{"model":"prism-image"', 400, 'invalid_request_parameter'],
  ])('refuse %s', async (_, body, status, code) => {
    const { mock, origin } = await openWay({ models });
    expect(await send(origin, post(body))).toMatchObject({ status, code });
    expect(mock.requests).toEqual([]);
  });

  test('see the field that the gateway will see, when a body has two', async () => {
    const { mock, origin } = await openWay({ models });
    const body = '{"model":"tide-video","prompt":"Hä","model":"prism-image"}';
    expect(await send(origin, post(body))).toMatchObject({ status: 202 });
    expect(mock.requests[0]?.bodyText).toBe('{"model":"prism-image","prompt":"Hä"}');
  });

  test('do not concern bodies without one', async () => {
    const { page } = await openWay({ models });
    expect(await page().materials.create(material)).toHaveProperty('id');
  });
});

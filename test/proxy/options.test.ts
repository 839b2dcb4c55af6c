import { createProxyHandler, defaultRoutes } from 'polygate/proxy';
import type { ProxyAnswer, ProxyCall, ProxyOptions } from 'polygate/proxy';
import { NotFoundError, PermissionDeniedError } from 'polygate';
import { describe, expect, test } from 'vitest';

import { every, open } from '../support/calls.ts';
import { rejection } from '../support/rejection.ts';
import { canary, mount, openWay, send } from './support.ts';

const image = { model: 'prism-image', prompt: 'A harbour' };
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
  test.each(every)('decides about $route', async ({ route, call }) => {
    const closed = await openWay({ allow: [], basePath: mount });
    await rejection(NotFoundError, call(closed.page()));
    expect(closed.mock.requests).toEqual([]);

    const { mock, page } = await openWay({ allow: [route], basePath: mount });
    await call(page()).catch(() => {});
    expect(mock.requests.length).toBeGreaterThan(0);
    const isOpen = open.some((endpoint) => endpoint.route === route);
    const key = isOpen ? undefined : `Bearer ${canary}`;
    expect(mock.requests[0]?.headers['authorization']).toBe(key);
  });

  test('by default is all that is documented but what tells about the owner, or all users', () => {
    const plain = (route: string) => route.replace(/\{\w+\}/, '{}');
    const missing = every.filter(({ route }) => !defaultRoutes.map(plain).includes(plain(route)));
    expect(missing.map(({ route }) => route)).toEqual([
      'GET /v1/account',
      'GET /v1/readiness',
      'GET /api/usage/balance',
      'GET /v1/materials',
    ]);
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

describe('users kept apart', () => {
  /** As the guide shows it. */
  function owning(): Pick<ProxyOptions, 'permit' | 'onAnswer'> {
    const owners = new Map<string, string>();
    return {
      permit: ({ user, taskId, materialId }) => {
        const id = taskId ?? materialId;
        return id === undefined || owners.get(id) === user;
      },
      onAnswer: ({ user, method, taskId, materialId }) => {
        const id = taskId ?? materialId;
        if (method === 'POST' && id !== undefined) owners.set(id, user);
      },
    };
  }

  test('a task and a material are for who made them', async () => {
    const { mock, page } = await openWay(owning());
    const [ann, bob] = [page({}, 'ann'), page({}, 'bob')];
    const task = await ann.images.submit(image);
    const { id } = await ann.materials.create(material);
    expect(await task.retrieve()).toMatchObject({ status: 'succeeded' });
    expect(await ann.materials.retrieve(id)).toMatchObject({ id });
    const before = mock.requests.length;
    await rejection(PermissionDeniedError, bob.images.retrieve(task.id));
    await rejection(PermissionDeniedError, bob.materials.retrieve(id));
    await rejection(PermissionDeniedError, bob.materials.delete(id));
    expect(mock.requests).toHaveLength(before);
  });

  test('permit is asked with everything but the body, and only for known users', async () => {
    const calls: ProxyCall[] = [];
    const { page } = await openWay({ permit: (call) => calls.push(call) > 0 });
    await page().images.submit(image, { idempotencyKey: 'row-17' });
    await page({}, '')
      .images.submit(image)
      .catch(() => {});
    await page()
      .images.retrieve('task_1')
      .catch(() => {});
    const ann = { user: 'ann', taskId: undefined, materialId: undefined };
    expect(calls).toEqual([
      { ...ann, method: 'POST', route: 'POST /v1/images/tasks', path: '/v1/images/tasks' },
      {
        ...ann,
        method: 'GET',
        route: 'GET /v1/images/tasks/{taskId}',
        path: '/v1/images/tasks/task_1',
        taskId: 'task_1',
      },
    ]);
  });

  test('a permit that does not say yes is a no', async () => {
    const { mock, page } = await openWay({ permit: (() => undefined) as never });
    await rejection(PermissionDeniedError, page().models.list());
    expect(mock.requests).toEqual([]);
  });

  test('onAnswer is told what each request cost, also when the page is not', async () => {
    const answers: ProxyAnswer[] = [];
    const { mock, page } = await openWay({
      exposeCharges: false,
      onAnswer: (answer) => void answers.push(answer),
    });
    const gateway = page();
    const submit = () => gateway.images.submit(image, { idempotencyKey: 'row-17' });
    const task = await submit();
    await submit();
    await gateway.images.submit({ ...image, model: 'none' }).catch(() => {});
    const [line] = mock.invoice;
    const { id: taskId } = task;
    expect(answers).toMatchObject([
      { user: 'ann', status: 202, chargeUsd: line!.usd, replay: false, taskId },
      { user: 'ann', status: 202, replay: true, taskId },
      { user: 'ann', status: 400, chargeUsd: undefined, replay: false, taskId: undefined },
    ]);
    expect(answers[0]?.requestId).toBe(line?.requestId);
    expect(gateway.spend.totalUsd).toBe(0);
  });
});

describe('a function of the app that fails', () => {
  const failure = new Error('database: password=hunter2');
  const fail = () => {
    throw failure;
  };
  test.each<[string, Partial<ProxyOptions>]>([
    ['authorize', { authorize: fail }],
    ['authorize, later', { authorize: async () => fail() }],
    ['permit', { permit: fail }],
    ['apiKey', { apiKey: fail }],
  ])('%s is a bare 500, reported', async (_, options) => {
    const { mock, origin, reports } = await openWay(options);
    const reply = await send(origin, { path: `${mount}/v1/models`, headers: { 'x-user': 'ann' } });
    expect(reply).toMatchObject({ status: 500, code: 'internal_error' });
    expect(reply.body).not.toContain('hunter2');
    expect(reports).toEqual([failure]);
    expect(mock.requests).toEqual([]);
  });

  test.each([
    ['true', true],
    ['an empty id', ''],
    ['a number', 7],
    ['nothing', undefined],
  ])('authorize that gives %s does not let anybody in', async (_, user) => {
    const { mock, origin, reports } = await openWay({ authorize: () => user as never });
    const reply = await send(origin, { path: `${mount}/v1/models` });
    expect(reply).toMatchObject({ status: 500, code: 'internal_error' });
    expect(String(reports)).toContain('authorize: must give');
    expect(mock.requests).toEqual([]);
  });

  test('onAnswer costs no paid task', async () => {
    const { page, reports } = await openWay({ onAnswer: fail });
    expect(await page().images.submit(image)).toHaveProperty('id');
    expect(reports).toEqual([failure]);
  });

  test('onError breaks nothing', async () => {
    const { origin } = await openWay({ authorize: fail, onError: fail });
    expect(await send(origin, { path: `${mount}/v1/models` })).toMatchObject({ status: 500 });
  });

  test('authorize that reads the body is told so', async () => {
    const { page, reports } = await openWay({
      authorize: async (request) => (await request.text()) && 'ann',
    });
    await page({ maxRetries: 0 })
      .images.submit(image)
      .catch(() => {});
    expect(String(reports)).toContain('The body was read before');
  });
});

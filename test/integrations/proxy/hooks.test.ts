import { PermissionDeniedError } from 'polygate';
import type { ProxyCall, ProxyOptions, ProxyResponse } from 'polygate/proxy';
import { describe, expect, test, vi } from 'vitest';

import { eventually } from '../../support/eventually.ts';
import { rejection } from '../../support/rejection.ts';
import { mount, startProxy, sendRaw, unusedOrigin } from './support.ts';

const image = { model: 'prism-image', prompt: 'A harbor' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };

describe('permit and onResponse', () => {
  /** Hooks that keep users apart without `isolate`. */
  function ownershipHooks(): Pick<ProxyOptions, 'permit' | 'onResponse'> {
    const owners = new Map<string, string>();
    return {
      permit: ({ user, taskId, materialId }) => {
        const id = taskId ?? materialId;
        return id === undefined || owners.get(id) === user;
      },
      onResponse: ({ user, method, taskId, materialId }) => {
        const id = taskId ?? materialId;
        if (method === 'POST' && id !== undefined) owners.set(id, user);
      },
    };
  }

  test('can restrict tasks and materials to the users who created them', async () => {
    const { mock, page } = await startProxy(ownershipHooks());
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

  test('onResponse receives the id of a material as text, even if it is a number', async () => {
    const ids: unknown[] = [];
    const { page } = await startProxy({
      fetch: async () => Response.json({ id: 17 }),
      onResponse: ({ materialId }) => void ids.push(materialId),
    });
    await page({ maxRetries: 0 })
      .materials.create(material)
      .catch(() => {});
    expect(ids).toEqual(['17']);
  });

  test('permit receives everything but the body, and only for known users', async () => {
    const calls: ProxyCall[] = [];
    const { mock, page } = await startProxy({ permit: (call) => calls.push(call) > 0 });
    await page().images.submit(image, { idempotencyKey: 'row-17' });
    await page({}, '')
      .images.submit(image)
      .catch(() => {});
    await page()
      .images.retrieve('task_1')
      .catch(() => {});
    const ann = { user: 'ann', taskId: undefined, materialId: undefined };
    expect(calls).toEqual([
      {
        ...ann,
        method: 'POST',
        route: 'POST /v1/images/tasks',
        path: '/v1/images/tasks',
        model: 'prism-image',
        keyHash: mock.requests[0]?.headers['x-idempotency-key'],
      },
      {
        ...ann,
        method: 'GET',
        route: 'GET /v1/images/tasks/{taskId}',
        path: '/v1/images/tasks/task_1',
        taskId: 'task_1',
      },
    ]);
  });

  test('permit rejects a request unless it returns true', async () => {
    const { mock, page } = await startProxy({ permit: (() => undefined) as never });
    await rejection(PermissionDeniedError, page().models.list());
    expect(mock.requests).toEqual([]);
  });

  test('onResponse settles before the page receives the response', async () => {
    let finish = (): void => {};
    const onResponse = vi.fn<() => Promise<void>>(
      () => new Promise((resolve) => (finish = resolve)),
    );
    const { handler } = await startProxy({ fetch: async () => Response.json({}), onResponse });
    const headers = { 'x-user': 'ann' };
    const onSettled = vi.fn<(response: Response) => void>();
    const response = handler(new Request(`http://app.example${mount}/v1/models`, { headers }));
    const settled = response.then(onSettled);
    await eventually(() => expect(onResponse).toHaveBeenCalled());
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(onSettled).not.toHaveBeenCalled();
    finish();
    await settled;
  });

  test('onResponse follows every forwarded request, with its outcome', async () => {
    const responses: ProxyResponse[] = [];
    const { mock, page } = await startProxy({
      limits: { usd: 1 },
      onResponse: (response) => void responses.push(response),
    });
    const route = 'POST /v1/images/tasks';
    const faults = [
      {},
      { status: 404 },
      { status: 500 },
      { reset: 'after' as const },
      { status: 301, headers: { location: '/' } },
    ];
    for (const fault of faults) {
      mock.fail({ route, times: 1, ...fault });
      await page({ maxRetries: 0 })
        .images.submit(image)
        .catch(() => {});
    }
    const common = { model: 'prism-image', reservedUsd: 0.02 };
    expect(responses).toMatchObject([
      { ...common, status: 202, outcome: 'accepted', chargeUsd: 0.02 },
      { ...common, status: 404, outcome: 'rejected' },
      { ...common, status: 500, outcome: 'unknown' },
      { ...common, status: undefined, outcome: 'unknown' },
      { ...common, status: 301, outcome: 'rejected' },
    ]);
    const sent = mock.requests.filter(({ method }) => method === 'POST');
    const hashes = sent.map(({ headers }) => headers['x-idempotency-key']);
    expect(responses.map(({ keyHash }) => keyHash)).toEqual(hashes);
  });

  test('onResponse reports a request that could not be sent', async () => {
    const responses: ProxyResponse[] = [];
    const { page } = await startProxy({
      baseURL: await unusedOrigin(),
      onResponse: (response) => void responses.push(response),
    });
    await page({ maxRetries: 0 })
      .images.submit(image)
      .catch(() => {});
    expect(responses).toMatchObject([{ status: undefined, outcome: 'not-sent', replay: false }]);
  });

  test.each(['-1', 'free', '0,02'])(
    'onResponse receives no charge when the charge header is %s',
    async (reported) => {
      const responses: ProxyResponse[] = [];
      const { handler } = await startProxy({
        fetch: async () => Response.json({}, { headers: { 'x-svc-charge-usd': reported } }),
        onResponse: (response) => void responses.push(response),
      });
      const headers = { 'x-user': 'ann' };
      await handler(new Request(`http://app.example${mount}/v1/models`, { headers }));
      expect(responses).toMatchObject([{ status: 200, chargeUsd: undefined }]);
    },
  );

  test('onResponse receives the charge of each request even if exposeCharges is false', async () => {
    const responses: ProxyResponse[] = [];
    const { mock, page } = await startProxy({
      exposeCharges: false,
      onResponse: (response) => void responses.push(response),
    });
    const gateway = page();
    const submit = () => gateway.images.submit(image, { idempotencyKey: 'row-17' });
    const task = await submit();
    await submit();
    await gateway.images.submit({ ...image, model: 'none' }).catch(() => {});
    const [line] = mock.invoice;
    const { id: taskId } = task;
    expect(responses).toMatchObject([
      { user: 'ann', status: 202, chargeUsd: line!.usd, replay: false, taskId },
      { user: 'ann', status: 202, replay: true, taskId },
      { user: 'ann', status: 400, chargeUsd: undefined, replay: false, taskId: undefined },
    ]);
    expect(responses[0]?.requestId).toBe(line?.requestId);
    expect(gateway.spend.totalUsd).toBe(0);
  });
});

const failure = new Error('database: password=hunter2');
const fail = () => {
  throw failure;
};

describe('an error in an option function', () => {
  test.each<[string, Partial<ProxyOptions>]>([
    ['authorize', { authorize: fail }],
    ['an asynchronous authorize', { authorize: async () => fail() }],
    ['permit', { permit: fail }],
    ['apiKey', { apiKey: fail }],
  ])('in %s leads to a 500 without details, and is reported', async (_, options) => {
    const { mock, origin, reports } = await startProxy(options);
    const reply = await sendRaw(origin, {
      path: `${mount}/v1/models`,
      headers: { 'x-user': 'ann' },
    });
    expect(reply).toMatchObject({ status: 500, code: 'internal_error' });
    expect(reply.body).not.toContain('hunter2');
    expect(reports).toEqual([failure]);
    expect(mock.requests).toEqual([]);
  });

  test('in onResponse does not prevent the page from receiving its paid task', async () => {
    const { page, reports } = await startProxy({ onResponse: fail });
    expect(await page().images.submit(image)).toHaveProperty('id');
    expect(reports).toEqual([failure]);
  });
});

test.each([
  ['true', true],
  ['an empty id', ''],
  ['a number', 7],
  ['undefined', undefined],
])('an authorize that returns %s leads to a 500, and nothing is forwarded', async (_, user) => {
  const { mock, origin, reports } = await startProxy({ authorize: () => user as never });
  const reply = await sendRaw(origin, { path: `${mount}/v1/models` });
  expect(reply).toMatchObject({ status: 500, code: 'internal_error' });
  expect(String(reports)).toContain('authorize: must return');
  expect(mock.requests).toEqual([]);
});

test.each([
  ['throws', fail],
  ['rejects', (): unknown => Promise.reject(new Error('No database'))],
])('an onError that %s does not change the response', async (_, onError) => {
  const { origin } = await startProxy({ authorize: fail, onError });
  expect(await sendRaw(origin, { path: `${mount}/v1/models` })).toMatchObject({ status: 500 });
});

test('reading the body in authorize is reported as the cause', async () => {
  const { page, reports } = await startProxy({
    authorize: async (request) => (await request.text()) && 'ann',
  });
  await page({ maxRetries: 0 })
    .images.submit(image)
    .catch(() => {});
  expect(String(reports)).toContain('The body was read before');
});

test.each<null | false>([null, false])(
  'an authorize that returns %s leads to a 401',
  async (user) => {
    const { origin, reports } = await startProxy({ authorize: () => user });
    expect(await sendRaw(origin, { path: `${mount}/v1/models` })).toMatchObject({ status: 401 });
    expect(reports).toEqual([]);
  },
);

import { PermissionDeniedError } from 'polygate';
import type { ProxyAnswer, ProxyCall, ProxyOptions } from 'polygate/proxy';
import { describe, expect, test, vi } from 'vitest';

import { rejection } from '../support/rejection.ts';
import { mount, openWay, send } from './support.ts';

const image = { model: 'prism-image', prompt: 'A harbour' };
const material = { url: 'https://files.example/a.png', type: 'image' as const };

describe('users kept apart', () => {
  /** As the guide shows it. */
  function owning(): Pick<ProxyOptions, 'permit' | 'onResponse'> {
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

  test('onResponse is done before the page has its answer', async () => {
    let remembered = (): void => {};
    const onResponse = vi.fn<() => Promise<void>>(
      () => new Promise((resolve) => (remembered = resolve)),
    );
    const { handler } = await openWay({ fetch: async () => Response.json({}), onResponse });
    const headers = { 'x-user': 'ann' };
    const answered = vi.fn<(answer: Response) => void>();
    const answer = handler(new Request(`http://app.example${mount}/v1/models`, { headers }));
    const seen = answer.then(answered);
    await vi.waitFor(() => expect(onResponse).toHaveBeenCalled());
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(answered).not.toHaveBeenCalled();
    remembered();
    await seen;
  });

  test('onResponse is told what each request cost, also when the page is not', async () => {
    const answers: ProxyAnswer[] = [];
    const { mock, page } = await openWay({
      exposeCharges: false,
      onResponse: (answer) => void answers.push(answer),
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

  test.each<null | false>([null, false])('authorize that gives %s answers 401', async (user) => {
    const { origin, reports } = await openWay({ authorize: () => user });
    expect(await send(origin, { path: `${mount}/v1/models` })).toMatchObject({ status: 401 });
    expect(reports).toEqual([]);
  });

  test('onResponse costs no paid task', async () => {
    const { page, reports } = await openWay({ onResponse: fail });
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

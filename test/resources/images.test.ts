import { describe, expect, test } from 'vitest';

import { ConfigurationError, ConflictError, ResponseValidationError } from '../../src/index.ts';
import type { ImageParams, ImageRoute, RequestOptions } from '../../src/index.ts';
import {
  jsonReply,
  clientOf,
  image,
  methodOf,
  onMock,
  scripted,
  textReply,
} from '../client/support.ts';
import { collect, rejection } from '../support/rejection.ts';

const submitRoute = 'POST /v1/images/tasks';

describe('submit()', () => {
  test.each([
    [{}, '/v1/images/tasks'],
    [{ route: 'tasks' }, '/v1/images/tasks'],
    [{ route: 'generations' }, '/v1/images/generations'],
  ] satisfies [ImageRoute, string][])(
    'with %j posts the params unchanged to %s',
    async (options, path) => {
      const { gateway, mock } = onMock();
      const params = { ...image, n: 2, size: '1024x1024', task_type: 'text2image' };
      await gateway.images.submit(params, options);
      expect(mock.requests).toMatchObject([{ method: 'POST', path }]);
      expect(mock.requests[0]?.body).toEqual(params);
    },
  );

  test('resolves to a handle with the details of the response', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image);
    const [created] = mock.tasks;
    expect(task).toMatchObject({ id: created?.id, kind: 'image', replayed: false });
    expect(task.idempotencyKey).toBe(mock.requests[0]?.headers['x-idempotency-key']);
    expect(task.chargeUsd).toBe(created?.chargeUsd);
    expect(task.meta).toMatchObject({
      status: 202,
      taskId: created?.id,
      chargeUsd: created?.chargeUsd,
    });
    expect(task.latest).toMatchObject({ id: created?.id, status: 'queued', urls: [], progress: 0 });
    expect(gateway.spend.totalUsd).toBe(mock.invoice[0]?.usd);
  });

  test('resolves to a handle that is not a promise, so that await does not wait for the image', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image);
    expect('then' in task).toBe(false);
    expect(await Promise.resolve(task)).toBe(task);
    expect(mock.requests).toHaveLength(1);
  });

  test('sends one key per call: the same in every attempt, another in the next call', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route: submitRoute, status: 503, times: 1 });
    mock.fail({ route: submitRoute, reset: 'after', times: 1 });
    const task = await mock.clock.settle(gateway.images.submit(image));
    await mock.clock.settle(gateway.images.submit(image));
    const keys = mock.requests.map(({ headers }) => headers['x-idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], keys[0], keys[3]]);
    expect(task.idempotencyKey).toBe(keys[0]);
    expect(new Set(keys).size).toBe(2);
    expect(new Set(mock.requests.map(({ bodyText }) => bodyText)).size).toBe(1);
    expect(mock.tasks).toHaveLength(2);
    expect(mock.invoice).toHaveLength(2);
  });

  test("sends the caller's key, and a second call with it is a replay without a charge", async () => {
    const { gateway, mock } = onMock();
    const first = await gateway.images.submit(image, { idempotencyKey: 'row-17' });
    const again = await gateway.images.submit(image, { idempotencyKey: 'row-17' });
    expect(mock.requests.map(({ headers }) => headers['x-idempotency-key'])).toEqual([
      'row-17',
      'row-17',
    ]);
    expect(first.replayed).toBe(false);
    expect(again).toMatchObject({ replayed: true, id: first.id, idempotencyKey: 'row-17' });
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.spend).toMatchObject({ totalUsd: mock.invoice[0]?.usd });
  });

  test('rejects an idempotency conflict without retrying', async () => {
    const { gateway, mock } = onMock({ assumptions: { A13: 'conflict' } });
    await gateway.images.submit(image, { idempotencyKey: 'row-17' });
    const other = gateway.images.submit(
      { ...image, prompt: 'A hill' },
      { idempotencyKey: 'row-17' },
    );
    const error = await rejection(ConflictError, other);
    expect(error).toMatchObject({ idempotencyKey: 'row-17', outcome: 'rejected' });
    expect(mock.requests).toHaveLength(2);
  });
});

describe('rejects invalid input before sending a request', () => {
  const invalid: [string, unknown, unknown][] = [
    ['no params', undefined, {}],
    ['params that are not an object', 'a harbor', {}],
    ['no model', { prompt: 'A harbor' }, {}],
    ['an empty model', { ...image, model: '' }, {}],
    ['a model that is not a string', { ...image, model: 7 }, {}],
    ['an unknown route', image, { route: 'edits' }],
    ['a route that changes the path', image, { route: '../account' }],
    ['an empty key', image, { idempotencyKey: '' }],
    ['a key with a space', image, { idempotencyKey: 'a b' }],
    ['a key with a line break', image, { idempotencyKey: 'a\nb' }],
    ['a key of 201 characters', image, { idempotencyKey: 'k'.repeat(201) }],
    ['a key that is not ASCII', image, { idempotencyKey: 'clé' }],
    ['a timeout that is not a number', image, { timeout: Number.NaN }],
  ];

  test.each(invalid)('in submit() and generate(): %s', async (_, params, options) => {
    const { gateway, mock } = onMock();
    // An untyped caller can pass this.
    const untyped = [params as ImageParams, options as RequestOptions & ImageRoute] as const;
    const submitted = gateway.images.submit(...untyped);
    await expect(submitted).rejects.toBeInstanceOf(ConfigurationError);
    await expect(gateway.images.generate(...untyped)).rejects.toBeInstanceOf(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });

  test.each([
    ['pollInterval', { pollInterval: -1 }],
    ['maxPollInterval', { maxPollInterval: Number.NaN }],
    ['waitTimeout', { waitTimeout: -5 }],
  ])('in generate(): an invalid %s', async (_, options) => {
    const { gateway, mock } = onMock();
    const generated = gateway.images.generate(image, options);
    await expect(generated).rejects.toBeInstanceOf(ConfigurationError);
    expect(mock.invoice).toEqual([]);
  });

  test.each(['', '.', '..', '%2e%2e', 'a\\b', 'a\u0000b', '../account'])(
    'in retrieve() and wait(): the id %j',
    async (id) => {
      const { gateway, mock } = onMock();
      await expect(gateway.images.retrieve(id)).rejects.toBeInstanceOf(ConfigurationError);
      await expect(gateway.images.wait(id)).rejects.toBeInstanceOf(ConfigurationError);
      expect(mock.requests).toEqual([]);
    },
  );
});

describe('generate()', () => {
  test('submits, waits, and resolves to the finished generation', async () => {
    const { gateway, mock } = onMock({ tasks: { durationMs: 10_000 } });
    const events: string[] = [];
    const done = await mock.clock.settle(
      gateway.images.generate(
        { ...image, n: 2 },
        {
          idempotencyKey: 'row-1',
          onSubmit: ({ id, latest }) => events.push(`submit ${id} ${latest.status}`),
          onUpdate: ({ id, status, progress }) => events.push(`update ${id} ${status} ${progress}`),
        },
      ),
    );
    const { id, model } = done;
    expect(events[0]).toBe(`submit ${id} queued`);
    expect(events.slice(1).every((line) => line.startsWith(`update ${id} `))).toBe(true);
    expect(events.slice(1, -1).every((line) => line.includes('running'))).toBe(true);
    expect(events.at(-1)).toBe(`update ${id} succeeded 100`);
    expect(events).toHaveLength(mock.requests.length);
    expect(done).toMatchObject({ kind: 'image', status: 'succeeded', rawStatus: 'completed' });
    expect(model).toBe('prism-image');
    expect(done.createdAt?.getTime()).toBe(mock.requests[0]?.at);
    expect(done.urls).toEqual(done.raw.result?.outputs);
    expect(done.urls).toHaveLength(2);
    expect(done.raw).toMatchObject({ object: 'image.generation.job', image_url: done.urls[0] });
    expect(mock.invoice).toMatchObject([{ idempotencyKey: 'row-1', taskId: id }]);
  });

  test('does not poll if the submit response is already finished', async () => {
    const { gateway, mock } = onMock({ assumptions: { A7: 'finished' } });
    const promise = gateway.images.generate(image, { route: 'generations' });
    const done = await mock.clock.settle(promise);
    expect(done).toMatchObject({ status: 'succeeded', id: mock.tasks[0]?.id });
    expect(done.urls).toHaveLength(1);
    expect(mock.requests).toHaveLength(1);
  });

  test.each(['data', 'task'] as const)('reads records wrapped in %s', async (A6) => {
    const { gateway, mock } = onMock({ assumptions: { A6, A4: 'succeeded' } });
    const done = await mock.clock.settle(gateway.images.generate(image));
    expect(done).toMatchObject({ id: mock.tasks[0]?.id, rawStatus: 'succeeded' });
  });
});

describe('an existing task', () => {
  test('is polled once by retrieve(), on the namespace or on the handle', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image);
    await mock.clock.advance(3_000);
    const polled = await gateway.images.retrieve(task.id);
    expect(polled).toMatchObject({ id: task.id, kind: 'image', status: 'running', progress: 50 });
    await mock.clock.advance(3_000);
    expect(await task.retrieve()).toMatchObject({ status: 'succeeded' });
    expect(task.latest).toMatchObject({ status: 'succeeded' });
    expect(mock.requests.map(({ path }) => path).slice(1)).toEqual([
      `/v1/images/tasks/${task.id}`,
      `/v1/images/tasks/${task.id}`,
    ]);
  });

  test('can be waited for by its id, handle or receipt, and task() sends nothing', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image);
    const byId = gateway.images.task(task.id);
    const byReceipt = gateway.images.task(task.toJSON());
    expect(mock.requests).toHaveLength(1);
    expect(byId).toMatchObject({ id: task.id, kind: 'image', latest: undefined });
    for (const known of [task.id, task, byId, byReceipt, task.toJSON()]) {
      const done = await mock.clock.settle(gateway.images.wait(known));
      expect(done).toMatchObject({ id: task.id, status: 'succeeded' });
    }
    expect(await byId.wait()).toMatchObject({ id: task.id });
  });

  test('can be followed with updates(), which ends after the terminal update', async () => {
    const { gateway, mock } = onMock({ tasks: { durationMs: 9_000 } });
    const task = await gateway.images.submit(image);
    const updates = await mock.clock.settle(collect(task.updates()));
    expect(updates.map(({ status }) => status)).toEqual([
      ...updates.slice(1).map(() => 'running'),
      'succeeded',
    ]);
    expect(updates.length).toBeGreaterThan(2);
    expect(updates).toHaveLength(mock.requests.length - 1);
    expect(updates.at(-1)?.urls).toHaveLength(1);
  });
});

describe('a 2xx submit response that is not a task record', () => {
  const malformed = [
    textReply(202, '<html>Hi</html>', 'text/html'),
    textReply(202, ''),
    jsonReply(202, []),
    jsonReply(202, 'ok'),
    jsonReply(202, null),
  ];

  test.each(malformed)('never hides the task named in its headers', async (reply) => {
    const { fetch } = scripted(async (sent) => {
      const response = await reply(sent);
      response.headers.set('x-svc-task-id', 'task_9');
      response.headers.set('x-svc-charge-usd', '0.5');
      return response;
    });
    const gateway = clientOf(fetch);
    const options = { idempotencyKey: 'row-3' };
    const error = await rejection(ResponseValidationError, gateway.images.submit(image, options));
    expect(error).toMatchObject({
      idempotencyKey: 'row-3',
      meta: { taskId: 'task_9', status: 202 },
    });
    expect(error.task?.toJSON()).toMatchObject({ id: 'task_9', idempotencyKey: 'row-3', v: 1 });
    expect(gateway.spend.totalUsd).toBe(0.5);
    await expect(gateway.images.generate(image)).rejects.toMatchObject({ task: { id: 'task_9' } });
  });

  test('never hides the task named in its body', async () => {
    const { fetch } = scripted(jsonReply(202, { id: 'task_9', status: 'completed' }));
    const error = await rejection(ResponseValidationError, clientOf(fetch).images.submit(image));
    expect(error.body).toEqual({ id: 'task_9', status: 'completed' });
    expect(error.task?.id).toBe('task_9');
  });

  test('leads to an error with a task that can be waited for', async () => {
    const { mock } = onMock();
    const { apiKey, baseURL, clock } = mock;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { status, headers, body } = await mock.fetch(input, init);
      headers.delete('content-length');
      return new Response(methodOf(input, init) === 'POST' ? '<html>' : body, { status, headers });
    };
    const gateway = clientOf(fetch, { apiKey, baseURL, clock });
    const generated = mock.clock.settle(gateway.images.generate(image));
    const { task } = await rejection(ResponseValidationError, generated);
    const again = gateway.resume(JSON.parse(JSON.stringify(task)));
    expect(await mock.clock.settle(again.wait())).toMatchObject({ id: mock.tasks[0]?.id });
    expect(mock.invoice).toHaveLength(1);
  });
});

import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGatewayOptions, TaskSubmit } from '../../../src/mock/index.ts';
import { callerOf, codeOf, image, music, speech, video } from '../caller.ts';

const start = (options: MockGatewayOptions = {}) => {
  const mock = createMockGateway({ clock: 'virtual', ...options });
  return { mock, caller: callerOf(mock) };
};

const routes = [
  ['image', '/v1/images/tasks', image, '/v1/images/tasks/', 'images'],
  ['image', '/v1/images/generations', image, '/v1/images/generations/', 'images'],
  ['video', '/v1/videos', video, '/v1/videos/', 'videos'],
  ['video', '/v1/video/generations', video, '/v1/video/generations/', 'videos'],
  ['video', '/v1/videos/generations', video, '/v1/videos/generations/', 'videos'],
  ['audio', '/v1/audio/tasks', music, '/v1/audio/tasks/', 'audios'],
  ['audio', '/v1/audio/tasks', speech, '/v1/audio/tasks/', 'audios'],
] as const;

test.each(routes)(
  'a task of kind %s submitted to %s moves from queued to completed over time',
  async (...row) => {
    const [kind, path, body, pollPath, list] = row;
    const { mock, caller } = start({ tasks: { durationMs: 10_000 } });
    const response = await caller.post(path, body);
    expect(response.status).toBe(202);
    const task = await response.json();
    expect(response.headers.get('x-svc-task-id')).toBe(task.id);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(Number(response.headers.get('x-svc-charge-usd'))).toBeGreaterThan(0);
    expect(await caller.read(response.headers.get('location') ?? '')).toMatchObject({
      id: task.id,
    });
    expect(task).toMatchObject({
      task_id: task.id,
      object: `${kind}.generation.job`,
      status: 'queued',
      raw_status: 'SUBMITTED',
      [`${kind}_url`]: null,
      result: null,
      error: null,
    });
    await mock.clock.advance(4500);
    expect(await caller.read(pollPath + task.id)).toMatchObject({
      status: 'in_progress',
      raw_status: 'IN_PROGRESS',
      progress: '45%',
      result: null,
    });
    await mock.clock.advance(5500);
    const done = await caller.read(pollPath + task.id);
    expect(done).toMatchObject({ status: 'completed', raw_status: 'SUCCESS', progress: '100%' });
    const url = done[`${kind}_url`];
    expect(done.result.outputs).toEqual([url]);
    expect(done.result[list]).toEqual([{ url }]);
    expect((await mock.fetch(url)).status).toBe(200);
  },
);

test('a task cannot be polled at the path of another kind', async () => {
  const { caller } = start();
  const { id } = await caller.submit('/v1/videos', video);
  for (const path of [`/v1/images/tasks/${id}`, `/v1/audio/tasks/${id}`, '/v1/videos/task_none']) {
    const response = await caller.get(path);
    expect(response.status).toBe(404);
    const { error } = await response.json();
    expect(error.code).toBe('task_not_found');
    expect(error.message).toContain('forgets its tasks when it stops');
  }
});

test.each(routes)(
  'the same key returns the same %s task of %s, which is charged once',
  async (...row) => {
    const [, path, body] = row;
    const { mock, caller } = start();
    const headers = { 'x-idempotency-key': 'row-17' };
    const first = await caller.post(path, body, headers);
    expect(first.headers.has('x-svc-idempotent-replay')).toBe(false);
    const again = await caller.post(path, { ...body, prompt: 'another' }, headers);
    expect(again.status).toBe(202);
    expect(again.headers.get('x-svc-idempotent-replay')).toBe('true');
    expect(again.headers.get('x-svc-charge-usd')).toBe(first.headers.get('x-svc-charge-usd'));
    expect((await again.json()).id).toBe((await first.json()).id);
    expect(mock.invoice).toHaveLength(1);
  },
);

test('a replay returns the current status of the task', async () => {
  const { mock, caller } = start({ tasks: { durationMs: 1000 } });
  const headers = { 'x-idempotency-key': 'late' };
  await caller.submit('/v1/videos', video, headers);
  await mock.clock.advance(1000);
  expect(await caller.submit('/v1/videos', video, headers)).toMatchObject({ status: 'completed' });
});

test('with A13 set to conflict, a different body is a conflict, but a different field order is not', async () => {
  const { caller } = start({ assumptions: { A13: 'conflict' } });
  const headers = { 'x-idempotency-key': 'k' };
  await caller.submit('/v1/images/tasks', { model: 'prism-image', prompt: 'x' }, headers);
  const same = await caller.post(
    '/v1/images/tasks',
    { prompt: 'x', model: 'prism-image' },
    headers,
  );
  expect(same.status).toBe(202);
  const other = await caller.post(
    '/v1/images/tasks',
    { model: 'prism-image', prompt: 'y' },
    headers,
  );
  expect(other.status).toBe(409);
});

test.each(['with space', 'ü', '', 'x'.repeat(201)])(
  'the idempotency key %j is rejected',
  async (key) => {
    const { mock, caller } = start();
    const response = await caller.post('/v1/videos', video, { 'x-idempotency-key': key });
    expect(response.status).toBe(400);
    expect(await codeOf(response)).toBe('invalid_idempotency_key');
    expect(mock.invoice).toEqual([]);
  },
);

test('a failed task has an error and is refunded once', async () => {
  const { mock, caller } = start({ tasks: { outcome: 'failed', durationMs: 1000 } });
  const { id } = await caller.submit('/v1/videos', video);
  await mock.clock.advance(1000);
  const record = await caller.read(`/v1/videos/${id}`);
  expect(record).toMatchObject({ status: 'failed', raw_status: 'FAILURE', video_url: null });
  expect(record.error.message).toEqual(expect.any(String));
  await caller.read(`/v1/videos/${id}`);
  expect(mock.invoice.map((line) => line.kind)).toEqual(['charge', 'refund']);
  expect(mock.invoice.reduce((sum, line) => sum + line.usd, 0)).toBe(0);
  expect(mock.wallet).toEqual({ usd: 1000, spentUsd: 0 });
});

test('with A15 set to keep, a failed task is not refunded', async () => {
  const tasks = { outcome: 'failed', durationMs: 0 } as const;
  const { mock, caller } = start({ tasks, assumptions: { A15: 'keep' } });
  await caller.submit('/v1/videos', video);
  expect(mock.invoice).toHaveLength(1);
});

test('duration and outcome can depend on the submitted request', async () => {
  const { mock, caller } = start({
    tasks: {
      durationMs: (submit) => (submit.kind === 'image' ? 10 : 1000),
      outcome: (submit) => (submit.prompt === 'bad' ? 'failed' : 'succeeded'),
    },
  });
  const good = await caller.submit('/v1/images/tasks', image);
  const bad = await caller.submit('/v1/images/tasks', { ...image, prompt: 'bad' });
  const slow = await caller.submit('/v1/videos', video);
  await mock.clock.advance(10);
  expect((await caller.read(`/v1/images/tasks/${good.id}`)).status).toBe('completed');
  expect((await caller.read(`/v1/images/tasks/${bad.id}`)).status).toBe('failed');
  expect((await caller.read(`/v1/videos/${slow.id}`)).status).toBe('queued');
  expect(mock.tasks.map((task) => task.status)).toEqual(['completed', 'failed', 'queued']);
});

test.each(['durationMs', 'outcome'])(
  'if the option %s throws, nothing is charged and no task is created',
  async (option) => {
    let fails = true;
    const decide = ({ number }: TaskSubmit): any => {
      if (fails) throw new Error(`There is no task ${number}`);
      return option === 'outcome' ? 'failed' : number;
    };
    const { mock, caller } = start({ tasks: { [option]: decide } });
    const submit = () => caller.post('/v1/videos', video, { 'x-idempotency-key': 'k' });
    expect((await submit()).status).toBe(500);
    expect([mock.invoice, mock.tasks, mock.wallet.usd]).toEqual([[], [], 1000]);
    fails = false;
    expect((await submit()).headers.get('x-svc-idempotent-replay')).toBeNull();
    expect([mock.invoice.length, mock.tasks.length]).toEqual([1, 1]);
  },
);

test('a submit that exceeds the balance does not call the task options', async () => {
  const numbers: number[] = [];
  const durationMs = ({ number }: TaskSubmit) => numbers.push(number);
  const mock = createMockGateway({ wallet: { usd: 0 }, tasks: { durationMs } });
  expect((await callerOf(mock).post('/v1/videos', video)).status).toBe(402);
  expect(numbers).toEqual([]);
});

test('a result URL expires, and a later poll returns a new one', async () => {
  const { mock, caller } = start({ tasks: { durationMs: 0, resultTtlMs: 60_000 } });
  const { id } = await caller.submit('/v1/images/tasks', image);
  const first = (await caller.read(`/v1/images/tasks/${id}`)).image_url;
  await mock.clock.advance(30_000);
  expect((await caller.read(`/v1/images/tasks/${id}`)).image_url).toBe(first);
  await mock.clock.advance(30_000);
  expect((await mock.fetch(first)).status).toBe(410);
  const fresh = (await caller.read(`/v1/images/tasks/${id}`)).image_url;
  expect((await mock.fetch(fresh)).status).toBe(200);
});

test('a task passes through every documented status', async () => {
  const { mock, caller } = start({ tasks: { durationMs: 1000 } });
  const { id, status } = await caller.submit('/v1/audio/tasks', speech);
  const statuses = [status];
  for (const ms of [500, 400, 100]) {
    await mock.clock.advance(ms);
    statuses.push((await caller.read(`/v1/audio/tasks/${id}`)).status);
  }
  expect(statuses).toEqual(['queued', 'in_progress', 'processing', 'completed']);
});

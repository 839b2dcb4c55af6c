import { expect, test } from 'vitest';

import { Polygate } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import type { MockAssumptions } from '../../src/mock/index.ts';
import { callerOf, image, speech, video } from './caller.ts';

const start = (assumptions: Partial<MockAssumptions>) => {
  const mock = createMockGateway({ clock: 'virtual', assumptions, tasks: { durationMs: 1000 } });
  return { mock, caller: callerOf(mock) };
};

test('A1: videos can be polled at a single path, which no response mentions', async () => {
  const { caller } = start({ A1: 'video/generations' });
  const response = await caller.post('/v1/videos', video);
  expect(response.headers.has('location')).toBe(false);
  const { id, poll_url } = await response.json();
  expect(poll_url).toBeUndefined();
  const missing = await caller.get(`/v1/videos/${id}`);
  expect([missing.status, (await missing.json()).error.code]).toEqual([404, 'not_found']);
  expect((await caller.get(`/v1/video/generations/${id}`)).status).toBe(200);
});

test('A2: images can be polled at a single path', async () => {
  const { caller } = start({ A2: 'images/generations' });
  const { id } = await caller.submit('/v1/images/generations', image);
  expect((await caller.get(`/v1/images/tasks/${id}`)).status).toBe(404);
  expect((await caller.get(`/v1/images/generations/${id}`)).status).toBe(200);
});

test('A4, A5 and A6: the success status, the URL field and the wrapper of a record can differ', async () => {
  const { mock, caller } = start({ A4: 'succeeded', A5: 'output', A6: 'data' });
  const { data } = await caller.submit('/v1/audio/tasks', speech);
  await mock.clock.advance(1000);
  const { data: done } = await caller.read(`/v1/audio/tasks/${data.id}`);
  expect(done).toMatchObject({ status: 'succeeded', result: null });
  expect(done.output.audio_url).toBe(done.audio_url);
});

test('A7: an image submit can wait and respond with the files', async () => {
  const { mock, caller } = start({ A7: 'finished' });
  const waiting = caller.post('/v1/images/generations', { ...image, n: 2 });
  const response = await mock.clock.settle(waiting);
  expect(response.status).toBe(200);
  const { data } = await response.json();
  expect(data).toHaveLength(2);
  expect((await mock.fetch(data[0].url)).status).toBe(200);
  expect(mock.inFlight).toBe(0);
});

test.each([
  ['string', { error: expect.any(String) }],
  ['flat', { code: 'task_not_found', message: expect.any(String), data: null }],
  ['detail', { detail: expect.any(String) }],
  ['success', { success: false, message: expect.any(String) }],
] as const)('A9: errors can have the form %s', async (A9, body) => {
  const { caller } = start({ A9 });
  expect(await caller.read('/v1/videos/none')).toEqual(body);
});

test('A9: errors can be HTML', async () => {
  const response = await start({ A9: 'html' }).caller.get('/v1/videos/none');
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
});

test('A10: another response header can carry the request id as well', async () => {
  const response = await start({ A10: 'x-oneapi-request-id' }).caller.get('/v1/account');
  expect(response.headers.get('x-oneapi-request-id')).toBe(response.headers.get('x-request-id'));
});

test('A20: endpoints that the specification only mentions exist when enabled', async () => {
  const off = start({}).caller;
  expect((await off.get('/v1/usage/records')).status).toBe(404);
  expect((await off.post('/v1/images/edits', image)).status).toBe(404);
  const { mock, caller } = start({ A20: 'on' });
  expect((await caller.post('/v1/images/edits', image)).status).toBe(202);
  expect((await caller.post('/v1beta/interactions', {})).status).toBe(501);
  const estimate = await caller.submit('/v1/estimate', { ...video, duration: 10 });
  expect(estimate).toMatchObject({ estimated_charge_usd: 0.2, billing_unit: 'second' });
  const records = await caller.read('/v1/usage/records');
  expect(records.data).toMatchObject([{ charge_usd: 0.02, operation: 'POST /v1/images/edits' }]);
  expect(mock.invoice).toHaveLength(1);
});

test('A21: the last page of materials can omit the cursor', async () => {
  expect(await start({ A21: 'absent' }).caller.read('/v1/materials')).not.toHaveProperty(
    'next_cursor',
  );
});

test('A22: a verification URL can expire earlier', async () => {
  const { mock, caller } = start({ A22: 1 });
  const real_person = { consent_confirmed: true, callback_url: 'https://app.example/back' };
  const body = { url: 'https://files.example/a.png', type: 'image', real_person };
  const { id } = await caller.submit('/v1/materials', body, { 'idempotency-key': 'k' });
  await mock.clock.advance(60_000);
  expect((await caller.read(`/v1/materials/${id}`)).status).toBe('verification_expired');
});

test("A3: image and video records can have OpenAI's shape, audio records cannot", async () => {
  const { mock, caller } = start({ A3: 'openai' });
  const task = await caller.submit('/v1/images/tasks', { ...image, n: 2 });
  expect(task).toMatchObject({ object: 'image', status: 'queued', progress: 0, data: null });
  expect(task).not.toHaveProperty('task_id');
  const videoTask = await caller.submit('/v1/videos', video);
  const audioTask = await caller.submit('/v1/audio/tasks', speech);
  await mock.clock.advance(1000);
  const done = await caller.read(`/v1/images/tasks/${task.id}`);
  expect(done).toMatchObject({ status: 'completed', progress: 100 });
  expect(done.data).toHaveLength(2);
  expect((await mock.fetch(done.data[0].url)).status).toBe(200);
  expect((await caller.read(`/v1/videos/${videoTask.id}`)).data).toHaveLength(1);
  expect(await caller.read(`/v1/audio/tasks/${audioTask.id}`)).toHaveProperty('audio_url');
});

test("A3: the client reads records in OpenAI's shape", async () => {
  const { mock } = start({ A3: 'openai' });
  const { apiKey, baseURL, fetch, clock } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch, clock });
  const done = await clock.settle(gateway.images.generate({ ...image, n: 2 }));
  expect(done).toMatchObject({ status: 'succeeded', progress: 100 });
  expect(done.urls).toHaveLength(2);
});

test('A4: the status can be the raw status', async () => {
  const { mock, caller } = start({ A4: 'raw' });
  const { id, status } = await caller.submit('/v1/videos', video);
  const statuses = [status];
  for (const ms of [500, 500]) {
    await mock.clock.advance(ms);
    statuses.push((await caller.read(`/v1/videos/${id}`)).status);
  }
  expect(statuses).toEqual(['SUBMITTED', 'IN_PROGRESS', 'SUCCESS']);
});

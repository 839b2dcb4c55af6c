import { expect, test } from 'vitest';

import { Polygate } from '../../src/index.ts';
import { createMockGateway } from '../../src/mock/index.ts';
import type { MockAssumptions } from '../../src/mock/index.ts';
import { callerOf, image, speech, video } from './caller.ts';

const start = (assumptions: Partial<MockAssumptions>) => {
  const mock = createMockGateway({ clock: 'virtual', assumptions, tasks: { durationMs: 1000 } });
  return { mock, caller: callerOf(mock) };
};

test('A1: one path alone may poll a video, and the client is not told which', async () => {
  const { caller } = start({ A1: 'video/generations' });
  const response = await caller.post('/v1/videos', video);
  expect(response.headers.has('location')).toBe(false);
  const { id, poll_url } = await response.json();
  expect(poll_url).toBeUndefined();
  const missing = await caller.get(`/v1/videos/${id}`);
  expect([missing.status, (await missing.json()).error.code]).toEqual([404, 'not_found']);
  expect((await caller.get(`/v1/video/generations/${id}`)).status).toBe(200);
});

test('A2: one path alone may poll an image', async () => {
  const { caller } = start({ A2: 'images/generations' });
  const { id } = await caller.submit('/v1/images/generations', image);
  expect((await caller.get(`/v1/images/tasks/${id}`)).status).toBe(404);
  expect((await caller.get(`/v1/images/generations/${id}`)).status).toBe(200);
});

test('A4, A5 and A6: success has another word, the URL another place, the record a wrapping', async () => {
  const { mock, caller } = start({ A4: 'succeeded', A5: 'output', A6: 'data' });
  const { data } = await caller.submit('/v1/audio/tasks', speech);
  await mock.clock.advance(1000);
  const { data: done } = await caller.read(`/v1/audio/tasks/${data.id}`);
  expect(done).toMatchObject({ status: 'succeeded', result: null });
  expect(done.output.audio_url).toBe(done.audio_url);
});

test('A7: an image submit may wait and answer with what it made', async () => {
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
] as const)('A9: errors may come in the form %s', async (A9, body) => {
  const { caller } = start({ A9 });
  expect(await caller.read('/v1/videos/none')).toEqual(body);
});

test('A9: errors may be HTML', async () => {
  const response = await start({ A9: 'html' }).caller.get('/v1/videos/none');
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
});

test('A10: the request id may come under another name as well', async () => {
  const response = await start({ A10: 'x-oneapi-request-id' }).caller.get('/v1/account');
  expect(response.headers.get('x-oneapi-request-id')).toBe(response.headers.get('x-request-id'));
});

test('A20: what the specification only names answers when it is switched on', async () => {
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

test('A21: the last page of materials may have no cursor at all', async () => {
  expect(await start({ A21: 'absent' }).caller.read('/v1/materials')).not.toHaveProperty(
    'next_cursor',
  );
});

test('A22: a verification may have less time', async () => {
  const { mock, caller } = start({ A22: 1 });
  const real_person = { consent_confirmed: true, callback_url: 'https://app.example/back' };
  const body = { url: 'https://files.example/a.png', type: 'image', real_person };
  const { id } = await caller.submit('/v1/materials', body, { 'idempotency-key': 'k' });
  await mock.clock.advance(60_000);
  expect((await caller.read(`/v1/materials/${id}`)).status).toBe('verification_expired');
});

test('A3: records of images and videos may be OpenAI’s, those of audio never are', async () => {
  const { mock, caller } = start({ A3: 'openai' });
  const made = await caller.submit('/v1/images/tasks', { ...image, n: 2 });
  expect(made).toMatchObject({ object: 'image', status: 'queued', progress: 0, data: null });
  expect(made).not.toHaveProperty('task_id');
  const film = await caller.submit('/v1/videos', video);
  const words = await caller.submit('/v1/audio/tasks', speech);
  await mock.clock.advance(1000);
  const done = await caller.read(`/v1/images/tasks/${made.id}`);
  expect(done).toMatchObject({ status: 'completed', progress: 100 });
  expect(done.data).toHaveLength(2);
  expect((await mock.fetch(done.data[0].url)).status).toBe(200);
  expect((await caller.read(`/v1/videos/${film.id}`)).data).toHaveLength(1);
  expect(await caller.read(`/v1/audio/tasks/${words.id}`)).toHaveProperty('audio_url');
});

test('A3: the client reads OpenAI’s records all the same', async () => {
  const { mock } = start({ A3: 'openai' });
  const { apiKey, baseURL, fetch, clock } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch, clock });
  const done = await clock.settle(gateway.images.generate({ ...image, n: 2 }));
  expect(done).toMatchObject({ status: 'succeeded', progress: 100 });
  expect(done.urls).toHaveLength(2);
});

test('A4: the status may be the raw word', async () => {
  const { mock, caller } = start({ A4: 'raw' });
  const { id, status } = await caller.submit('/v1/videos', video);
  const seen = [status];
  for (const ms of [500, 500]) {
    await mock.clock.advance(ms);
    seen.push((await caller.read(`/v1/videos/${id}`)).status);
  }
  expect(seen).toEqual(['SUBMITTED', 'IN_PROGRESS', 'SUCCESS']);
});

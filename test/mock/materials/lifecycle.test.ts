import { expect, test } from 'vitest';

import { createMockGateway } from '../../../src/mock/index.ts';
import type { MockGatewayOptions } from '../../../src/mock/index.ts';
import { callerOf, codeOf, video } from '../caller.ts';

const body = { url: 'https://files.example/a.png', type: 'image' };
const person = { consent_confirmed: true, callback_url: 'https://app.example/back?x=1' };
const hours = 60 * 60 * 1000;

const start = (options: MockGatewayOptions = {}) => {
  const mock = createMockGateway({
    clock: 'virtual',
    keys: [
      { key: 'sk-a', user: 1 },
      { key: 'sk-b', user: 2 },
    ],
    ...options,
  });
  const caller = callerOf(mock);
  let keys = 0;
  const create = (fields: object = {}, key = `key-${(keys += 1)}`) =>
    caller.post('/v1/materials', { ...body, ...fields }, { 'idempotency-key': key });
  const created = async (fields?: object) => (await create(fields)).json();
  const withMaterial = (uri: string) =>
    caller.post('/v1/videos', {
      ...video,
      content: [{ type: 'image_url', image_url: { url: uri }, role: 'reference_image' }],
    });
  return { mock, caller, create, created, withMaterial };
};

test('a material is processed, then available for two hours, then gone', async () => {
  const { mock, caller, create, withMaterial } = start();
  const response = await create({ name: 'Fox' });
  expect(response.status).toBe(202);
  const material = await response.json();
  expect(material).toEqual({
    id: expect.stringMatching(/^mat_/),
    object: 'material',
    name: 'Fox',
    type: 'image',
    status: 'processing',
    uri: null,
    preview_url: null,
    created_at: '2026-05-01T00:00:00.000Z',
    available_at: null,
    expires_at: null,
  });
  await mock.clock.advance(4000);
  const ready = await caller.read(`/v1/materials/${material.id}`);
  expect(ready).toMatchObject({
    status: 'available',
    uri: expect.stringMatching(/^asset:\/\//),
    available_at: '2026-05-01T00:00:04.000Z',
    expires_at: '2026-05-01T02:00:04.000Z',
  });
  expect((await mock.fetch(ready.preview_url)).status).toBe(200);
  expect((await withMaterial(ready.uri)).status).toBe(202);
  await mock.clock.advance(2 * hours);
  const gone = await caller.get(`/v1/materials/${material.id}`);
  expect(gone.status).toBe(404);
  expect(await codeOf(gone)).toBe('material_not_found');
  expect(await codeOf(await withMaterial(ready.uri))).toBe('material_not_available');
  expect((await caller.read('/v1/materials')).data).toEqual([]);
  expect((await caller.remove(`/v1/materials/${material.id}`)).status).toBe(404);
});

test('a user cannot see the materials of another user', async () => {
  const { mock, caller, created } = start();
  const { id } = await created();
  await mock.clock.advance(4000);
  const { uri } = await caller.read(`/v1/materials/${id}`);
  const other = callerOf(mock, 'sk-b');
  expect((await other.get(`/v1/materials/${id}`)).status).toBe(404);
  expect((await other.remove(`/v1/materials/${id}`)).status).toBe(404);
  const content = [{ type: 'image_url', image_url: { url: uri } }];
  const used = await other.post('/v1/videos', { ...video, content });
  expect([used.status, await codeOf(used)]).toEqual([400, 'material_not_managed']);
});

test('the idempotency key is required; reusing it returns the material, or a conflict if the body differs', async () => {
  const { caller, create } = start();
  const missing = await caller.post('/v1/materials', body);
  expect([missing.status, await codeOf(missing)]).toEqual([400, 'invalid_idempotency_key']);
  const first = await (await create({}, 'k')).json();
  const replay = await create({}, 'k');
  expect([replay.status, (await replay.json()).id]).toEqual([202, first.id]);
  const conflict = await create({ name: 'other' }, 'k');
  expect([conflict.status, await codeOf(conflict)]).toEqual([409, 'material_idempotency_conflict']);
});

test('deletion is final and can be repeated', async () => {
  const { mock, caller, created, withMaterial } = start();
  const { id } = await created();
  await mock.clock.advance(4000);
  const { uri } = await caller.read(`/v1/materials/${id}`);
  for (let count = 0; count < 2; count += 1) {
    const deleted = await caller.remove(`/v1/materials/${id}`);
    expect(deleted.status).toBe(200);
    expect(await deleted.json()).toMatchObject({ id, status: 'deleted', uri: null });
  }
  expect((await caller.get(`/v1/materials/${id}`)).status).toBe(404);
  expect(await codeOf(await withMaterial(uri))).toBe('material_not_available');
});

test('a deletion can take time', async () => {
  const { mock, caller, created } = start({ materials: { deleteMs: 1000 } });
  const { id } = await created();
  const pending = await caller.remove(`/v1/materials/${id}`);
  expect([pending.status, (await pending.json()).status]).toEqual([202, 'delete_pending']);
  expect((await caller.read('/v1/materials?status=delete_pending')).data).toHaveLength(1);
  await mock.clock.advance(1000);
  expect((await caller.get(`/v1/materials/${id}`)).status).toBe(404);
});

test('a real person is verified first, and the browser is redirected with two parameters', async () => {
  const { mock, caller, create } = start();
  const created = await (await create({ real_person: person }, 'k')).json();
  expect(created).toMatchObject({
    status: 'verification_pending',
    verification_expires_at: '2026-05-01T00:30:00.000Z',
  });
  const replay = await (await create({ real_person: person }, 'k')).json();
  expect(replay.verification_url).toBe(created.verification_url);
  const retrieved = await caller.read(`/v1/materials/${created.id}`);
  expect(retrieved).not.toHaveProperty('verification_url');
  await mock.clock.advance(60_000);
  expect((await caller.read(`/v1/materials/${created.id}`)).status).toBe('verification_pending');
  const redirect = await mock.fetch(created.verification_url, { redirect: 'manual' });
  expect(redirect.status).toBe(302);
  const target = new URL(redirect.headers.get('location') ?? '');
  expect(target.origin + target.pathname).toBe('https://app.example/back');
  expect(Object.fromEntries(target.searchParams)).toEqual({
    material_id: created.id,
    material_status: 'processing',
  });
  await mock.clock.advance(4000);
  expect((await caller.read(`/v1/materials/${created.id}`)).status).toBe('available');
});

test('a verification can fail or expire; GET returns the material, the list does not', async () => {
  const { mock, caller, create } = start();
  const failed = await (await create({ real_person: person }, 'f')).json();
  const late = await (await create({ real_person: person }, 'l')).json();
  const redirect = await mock.fetch(`${failed.verification_url}?outcome=failed`);
  expect(redirect.headers.get('location')).toContain('material_status=verification_failed');
  await mock.clock.advance(30 * 60_000);
  expect((await caller.read(`/v1/materials/${failed.id}`)).status).toBe('verification_failed');
  expect((await caller.read(`/v1/materials/${late.id}`)).status).toBe('verification_expired');
  expect((await caller.read('/v1/materials')).data).toEqual([]);
  const replay = await (await create({ real_person: person }, 'f')).json();
  expect(replay).toMatchObject({ id: failed.id, status: 'verification_failed' });
  const after = await mock.fetch(late.verification_url);
  expect(after.headers.get('location')).toContain('material_status=verification_expired');
});

test('processing can fail', async () => {
  const { mock, caller, created } = start({ materials: { outcome: 'failed' } });
  const { id } = await created();
  await mock.clock.advance(4000);
  expect(await caller.read(`/v1/materials/${id}`)).toMatchObject({ status: 'failed', uri: null });
});

test('the list is paginated and filtered', async () => {
  const { mock, caller, created } = start();
  const ids: string[] = [];
  for (let count = 0; count < 7; count += 1) {
    ids.unshift((await created({ type: count % 2 === 0 ? 'image' : 'video' })).id);
  }
  const idsOf = (page: { data: { id: string }[] }) => page.data.map((material) => material.id);
  const first = await caller.read('/v1/materials?limit=3');
  expect([idsOf(first), first.has_more]).toEqual([ids.slice(0, 3), true]);
  await caller.remove(`/v1/materials/${ids[2]}`);
  const second = await caller.read(`/v1/materials?limit=3&after=${first.next_cursor}`);
  expect(idsOf(second)).toEqual(ids.slice(3, 6));
  const third = await caller.read(`/v1/materials?limit=3&after=${second.next_cursor}`);
  expect(third).toMatchObject({ has_more: false, next_cursor: null });
  expect(idsOf(third)).toEqual(ids.slice(6));
  expect((await caller.read('/v1/materials?type=video')).data).toHaveLength(3);
  expect((await caller.read('/v1/materials?status=available')).data).toHaveLength(0);
  await mock.clock.advance(4000);
  expect((await caller.read('/v1/materials?status=available')).data).toHaveLength(6);
  const other = callerOf(mock, 'sk-b');
  const foreignCursor = await other.get(`/v1/materials?after=${first.next_cursor}`);
  expect(await codeOf(foreignCursor)).toBe('invalid_material_cursor');
});

test.each([
  ['limit=0', 'invalid_material_request'],
  ['limit=101', 'invalid_material_request'],
  ['limit=1.5', 'invalid_material_request'],
  ['limit=', 'invalid_material_request'],
  ['type=text', 'invalid_material_request'],
  ['status=failed', 'invalid_material_request'],
  ['after=x', 'invalid_material_cursor'],
  ['after=', 'invalid_material_cursor'],
])('the list query %s is rejected with %s', async (query, code) => {
  const response = await start().caller.get(`/v1/materials?${query}`);
  expect([response.status, await codeOf(response)]).toEqual([400, code]);
});

test('a material is accepted only in media fields, and only in items of its type', async () => {
  const { mock, caller, created } = start();
  const { id } = await created();
  await mock.clock.advance(4000);
  const { uri } = await caller.read(`/v1/materials/${id}`);
  const image_url = { url: uri };
  for (const [fields, status] of [
    [{ content: [{ type: 'image_url', image_url }] }, 202],
    [{ image: uri }, 202],
    [{ content: [{ type: 'video_url', video_url: { url: uri } }] }, 400],
    [{ content: [{ type: 'text', text: `like ${uri}` }] }, 400],
    [{ extra_body: { negative_prompt: uri } }, 400],
    [{ prompt: `like ${uri}` }, 400],
  ] as const) {
    expect((await caller.post('/v1/videos', { ...video, ...fields })).status).toBe(status);
  }
  const image = { model: 'prism-image', prompt: 'x', image: uri };
  const response = await caller.post('/v1/images/tasks', image);
  expect(await codeOf(response)).toBe('material_channel_unavailable');
});

test('a replayed video no longer needs its material', async () => {
  const { mock, caller, created } = start();
  const { id } = await created();
  await mock.clock.advance(4000);
  const { uri } = await caller.read(`/v1/materials/${id}`);
  const content = [{ type: 'image_url', image_url: { url: uri } }];
  const headers = { 'x-idempotency-key': 'k' };
  const first = await caller.submit('/v1/videos', { ...video, content }, headers);
  await caller.remove(`/v1/materials/${id}`);
  const replay = await caller.submit('/v1/videos', { ...video, content }, headers);
  expect(replay.id).toBe(first.id);
});

test('a material can stay in status creating for a while, with or without verification', async () => {
  const { mock, caller, created } = start({ materials: { creatingMs: 1000 } });
  const { id, status } = await created();
  expect(status).toBe('creating');
  expect((await caller.read('/v1/materials?status=creating')).data).toHaveLength(1);
  const { verification_url: url } = await created({ real_person: person });
  const redirect = await mock.fetch(url, { redirect: 'manual' });
  expect(redirect.status).toBe(302);
  await mock.clock.advance(1000);
  expect((await caller.read(`/v1/materials/${id}`)).status).toBe('processing');
  await mock.clock.advance(4000);
  expect((await caller.read(`/v1/materials/${id}`)).available_at).toBe('2026-05-01T00:00:05.000Z');
});

test('every part of a content item is checked, whatever its type', async () => {
  const { caller } = start();
  const content = [{ type: 'other', image_url: { url: 'asset://none' } }];
  const response = await caller.post('/v1/videos', { ...video, content });
  expect([response.status, await codeOf(response)]).toEqual([400, 'material_not_managed']);
});

test('a plain media field rejects a material of another type', async () => {
  const { mock, caller, created } = start();
  const { id } = await created({ type: 'video' });
  await mock.clock.advance(4000);
  const { uri } = await caller.read(`/v1/materials/${id}`);
  for (const [fields, status] of [
    [{ video: uri }, 202],
    [{ image: uri }, 400],
    [{ last_image: uri }, 400],
    [{ images: [uri] }, 400],
  ] as const) {
    expect((await caller.post('/v1/videos', { ...video, ...fields })).status).toBe(status);
  }
});

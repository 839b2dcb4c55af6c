import { APIError, NotFoundError, ServiceUnavailableError } from 'polygate';
import { defaultRoutes, memoryStore } from 'polygate/proxy';
import { describe, expect, test } from 'vitest';

import { rejection } from '../../support/rejection.ts';
import { failingStore, image, received } from './limits/support.ts';
import { mount, sendRaw, startProxy } from './support.ts';

const once = { maxRetries: 0 };
const quick = { pollInterval: 5, maxPollInterval: 10 };
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const voice = { prompt: 'A calm voice', preview_text: 'Hi' };
const allow = [...defaultRoutes, 'GET /v1/materials'];

/** A video with a material. */
const videoWith = (url: string) => ({
  model: 'tide-video',
  content: [
    { type: 'text' as const, text: 'Waves' },
    { type: 'image_url' as const, image_url: { url }, role: 'reference_image' },
  ],
});

/** An isolated proxy with two users. */
async function setUp(options: Parameters<typeof startProxy>[0] = {}) {
  const store = memoryStore();
  const setup = await startProxy({ isolate: true, allow, store, ...options });
  return { ...setup, store, ann: setup.page(once, 'ann'), bob: setup.page(once, 'bob') };
}

describe('isolate', () => {
  test('shows a task only to its owner', async () => {
    const { ann, bob, mock } = await setUp();
    const task = await ann.images.submit(image);
    expect((await task.wait(quick)).status).toBe('succeeded');
    const before = mock.requests.length;
    const error = await rejection(NotFoundError, bob.images.retrieve(task.id));
    expect(error.code).toBe('task_not_found');
    expect(mock.requests).toHaveLength(before);
  });

  test('shows a task to its owner even if the first response was lost', async () => {
    const { ann, mock } = await setUp();
    mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
    await ann.images.submit(image, { idempotencyKey: 'k' }).catch(() => {});
    const task = await ann.images.submit(image, { idempotencyKey: 'k' });
    expect((await task.wait(quick)).status).toBe('succeeded');
  });

  test('shows a task that an error has named only to its owner, and only if it may have been paid for', async () => {
    const { ann, bob, mock } = await setUp();
    const submitWith = async (status: number, id: string) => {
      const headers = { 'x-svc-task-id': id };
      mock.fail({ route: 'POST /v1/images/tasks', status, headers, times: 1 });
      return (await rejection(APIError, ann.images.submit(image))).task;
    };
    mock.fail({ route: 'GET /v1/images/tasks/{id}', body: { id: 'task_1', status: 'queued' } });
    const task = await submitWith(500, 'task_1');
    expect(await task?.retrieve()).toMatchObject({ id: 'task_1' });
    await rejection(NotFoundError, bob.images.retrieve('task_1'));
    await submitWith(400, 'task_2');
    await rejection(NotFoundError, ann.images.retrieve('task_2'));
  });

  test('finds the id of a task in the body if the header is missing', async () => {
    const { ann, mock } = await setUp();
    mock.fail({ route: 'POST /v1/images/tasks', headers: { 'x-svc-task-id': null } });
    const task = await ann.images.submit(image);
    expect((await task.wait(quick)).status).toBe('succeeded');
  });

  test('shows, lists and deletes a material only for its owner', async () => {
    const { ann, bob, mock } = await setUp();
    const { id } = await ann.materials.create(material);
    expect(await ann.materials.retrieve(id)).toMatchObject({ id });
    const before = mock.requests.length;
    expect(await rejection(NotFoundError, bob.materials.retrieve(id))).toMatchObject({
      code: 'material_not_found',
    });
    await rejection(NotFoundError, bob.materials.delete(id));
    expect(mock.requests).toHaveLength(before);
    expect((await ann.materials.list()).data).toHaveLength(1);
    expect((await bob.materials.list()).data).toEqual([]);
    await ann.materials.delete(id);
  });

  test('lists a voice only for its owner, and those of the service for everyone', async () => {
    const { ann, bob } = await setUp();
    const { voice_id: id } = await ann.voices.design(voice);
    const idsOf = async (client: typeof ann) =>
      (await client.voices.list()).data.map(({ voice_id: voiceId }) => voiceId);
    expect(await idsOf(ann)).toContain(id);
    expect(await idsOf(bob)).toEqual((await idsOf(ann)).filter((other) => other !== id));
    expect((await idsOf(bob)).length).toBeGreaterThan(0);
  });

  test('accepts the URI of a material in a body only from its owner', async () => {
    const { ann, bob, mock } = await setUp();
    const { id } = await ann.materials.create(material);
    const { uri } = await ann.materials.wait(id, quick);
    await ann.videos.submit(videoWith(uri ?? ''));
    const before = mock.requests.length;
    for (const url of [uri, uri?.replace('asset', 'ASSET'), `asset://${id}`]) {
      await rejection(NotFoundError, bob.videos.submit(videoWith(url ?? '')));
    }
    expect(mock.requests).toHaveLength(before);
  });

  test('accepts a task id and a voice id in a body only from their owner, in any field', async () => {
    const { ann, bob, mock } = await setUp();
    const { voice_id: voiceId } = await ann.voices.design(voice);
    const task = await ann.images.submit(image);
    const speech = { model: 'echo-speech', text: 'Hi', voice_id: voiceId };
    await ann.audio.speech.submit(speech);
    const edit = { ...image, extra: { source: [task.id] } };
    await ann.images.submit(edit);
    const before = mock.requests.length;
    await rejection(NotFoundError, bob.audio.speech.submit(speech));
    const mixed = { ...speech, voice_id: undefined, timber_weights: [{ voice_id: voiceId }] };
    await rejection(NotFoundError, bob.audio.speech.submit(mixed));
    await rejection(NotFoundError, bob.images.submit(edit));
    expect(mock.requests).toHaveLength(before);
  });

  test('finds an id that is a number, in responses and in fields that hold ids', async () => {
    const { ann, bob, mock } = await setUp();
    mock.fail({
      route: 'POST /v1/images/tasks',
      status: 202,
      body: { id: 4711, status: 'queued' },
      headers: { 'x-svc-task-id': null },
    });
    expect((await ann.images.submit(image)).id).toBe('4711');
    mock.clearFaults();
    const edit = { ...image, source_task_id: 4711 };
    await ann.images.submit(edit);
    await rejection(NotFoundError, bob.images.submit(edit));
    const other = { ...image, strength: 4711 };
    await bob.images.submit(other);
  });

  test('does not make a user the owner of a voice that the response to a task repeats', async () => {
    const { ann, bob, mock } = await setUp();
    const [first] = (await ann.voices.list({ model: 'echo-speech' })).data;
    const params = { model: 'echo-speech', text: 'Hi', voice_id: first!.voice_id };
    const body = { id: 'task_1', status: 'queued', voice_id: first!.voice_id };
    mock.fail({ route: 'POST /v1/audio/tasks', status: 202, body, times: 1 });
    await ann.audio.speech.submit(params);
    expect(await bob.audio.speech.submit(params)).toHaveProperty('id');
  });

  test('reads a body at any depth, and rejects one with too many texts that could be ids', async () => {
    const { origin, mock } = await setUp();
    const send = (extra: string) =>
      sendRaw(origin, {
        method: 'POST',
        path: `${mount}/v1/images/tasks`,
        headers: { 'x-user': 'ann', 'content-type': 'application/json' },
        body: `{"model":"prism-image","prompt":"A harbor","extra":${extra}}`,
      });
    const nested = (text: string) => `${'['.repeat(20_000)}${text}${']'.repeat(20_000)}`;
    expect((await send(nested('"asset://other"'))).code).toBe('resource_not_found');
    const words = Array.from({ length: 100_001 }, (_, index) => `word${index}`);
    const refused = await send(JSON.stringify(words));
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body).toMatch(/more than 100,000 .* Send fewer or shorter texts/);
    expect(mock.requests).toEqual([]);
    expect((await send(JSON.stringify(words.slice(0, 100)))).status).toBe(202);
  });

  test('accepts the voices of the service in a body', async () => {
    const { ann } = await setUp();
    const [first] = (await ann.voices.list({ model: 'echo-speech' })).data;
    const params = { model: 'echo-speech', text: 'Hi', voice_id: first!.voice_id };
    expect(await ann.audio.speech.submit(params)).toHaveProperty('id');
  });

  test.each([
    ['refuses', undefined, 404],
    ['allows', 'allow', 200],
  ] as const)('%s what has no owner', async (_, unowned, status) => {
    const { gatewayURL, mock, origin, page, ann } = await setUp({ unowned });
    const direct = page({ ...once, apiKey: mock.apiKey, baseURL: gatewayURL });
    const task = await direct.images.submit(image);
    const { id } = await direct.materials.create(material);
    const { uri } = await direct.materials.wait(id, quick);
    await direct.voices.design(voice);
    const get = (path: string) =>
      sendRaw(origin, { path: mount + path, headers: { 'x-user': 'ann' } });
    expect((await get(`/v1/images/tasks/${task.id}`)).status).toBe(status);
    expect((await get(`/v1/materials/${id}`)).status).toBe(status);
    const isAllowed = status === 200;
    expect((await ann.materials.list()).data).toHaveLength(isAllowed ? 1 : 0);
    const voices = (await ann.voices.list()).data;
    expect(voices.some(({ visibility }) => visibility === 'private')).toBe(isAllowed);
    const video = await ann.videos.submit(videoWith(uri ?? '')).then(
      () => true,
      () => false,
    );
    expect(video).toBe(isAllowed);
  });

  test('does not make a reader the owner of what has none', async () => {
    const { gatewayURL, mock, page, ann, bob } = await setUp({ unowned: 'allow' });
    const direct = page({ ...once, apiKey: mock.apiKey, baseURL: gatewayURL });
    const { id } = await direct.materials.create(material);
    await ann.materials.retrieve(id);
    expect(await bob.materials.retrieve(id)).toMatchObject({ id });
  });

  test('rejects a body that repeats a field', async () => {
    const { origin, mock } = await setUp();
    const reply = await sendRaw(origin, {
      method: 'POST',
      path: `${mount}/v1/videos`,
      headers: { 'x-user': 'ann', 'content-type': 'application/json' },
      body: '{"model":"tide-video","content":[{"url":"asset://b","url":"asset://a"}]}',
    });
    expect(reply).toMatchObject({ status: 400, code: 'invalid_request_parameter' });
    expect(mock.requests).toEqual([]);
  });
});

describe('while the store fails', () => {
  test('reads are forwarded, except those of what has an owner', async () => {
    const { store, state } = failingStore();
    const { ann, mock, reports } = await setUp({ store });
    const task = await ann.images.submit(image);
    state.isDown = true;
    await ann.models.list();
    const error = await rejection(ServiceUnavailableError, ann.images.retrieve(task.id));
    expect(error.code).toBe('store_unavailable');
    await rejection(ServiceUnavailableError, ann.voices.list());
    expect(mock.requests.at(-1)?.path).toBe('/v1/audio/voices');
    expect(reports.length).toBeGreaterThan(0);
    state.isDown = false;
    await task.retrieve();
  });

  test('a paid task is returned, and its owner is recorded later', async () => {
    const { store, state } = failingStore();
    const { ann } = await setUp({
      store,
      permit: () => ((state.isDown = false), true),
      onResponse: () => void (state.isDown = true),
    });
    const task = await ann.images.submit(image);
    state.isDown = false;
    expect((await task.retrieve()).status).toBe('succeeded');
  });

  test.each([
    ['refused', undefined, 503],
    ['refused with limits', { usd: 1 }, 503],
  ])('a POST is %s', async (_, limits, status) => {
    const { store, state } = failingStore();
    const { ann, mock } = await setUp({ store, limits });
    state.isDown = true;
    await expect(ann.images.submit(image)).rejects.toMatchObject({ status });
    expect(received(mock).filter(({ method }) => method === 'POST')).toEqual([]);
    state.isDown = false;
  });

  test('onStoreError: "allow" forwards a POST, but not one that refers to a material', async () => {
    const { store, state } = failingStore();
    const { ann, mock } = await setUp({ store, limits: { usd: 1 }, onStoreError: 'allow' });
    const { id } = await ann.materials.create(material);
    const { uri } = await ann.materials.wait(id, quick);
    state.isDown = true;
    const video = { ...videoWith(uri ?? ''), duration: 5, resolution: '720p' };
    await rejection(ServiceUnavailableError, ann.videos.submit(video));
    expect(mock.invoice).toHaveLength(0);
    const chat = { model: 'aurora-chat', messages: [{ role: 'user' as const, content: 'Hi' }] };
    await ann.chat.completions.create(chat);
    expect(mock.invoice).toHaveLength(1);
    state.isDown = false;
  });
});

import { APIError, NotFoundError, ServiceUnavailableError } from 'polygate';
import { defaultRoutes, memoryStore } from 'polygate/proxy';
import { describe, expect, test } from 'vitest';

import { rejection } from '../support/rejection.ts';
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
    expect(await send(JSON.stringify(words))).toMatchObject({ status: 400 });
    expect(mock.requests).toEqual([]);
    expect((await send(JSON.stringify(words.slice(0, 100)))).status).toBe(202);
  });

  describe('finds an id in a body however a service could read it', () => {
    const ids = [
      'voice one',
      'voices/1',
      'voice (1)',
      'Stimme für Ann №1',
      'voice#1',
      '50% voice',
      `voice-${'x'.repeat(300)}`,
      'voice-1 "calm"',
      '9007199254740993',
    ];
    const waysToWrite: [string, (id: string) => object | string][] = [
      ['as a text', (id) => ({ voice: id })],
      ['as a field name', (id) => ({ weights: { [id]: 1 } })],
      ['in JSON in a string', (id) => ({ extra: JSON.stringify({ a: [{ voice: id }] }) })],
      ['in JSON in JSON in a string', (id) => ({ a: JSON.stringify(JSON.stringify({ id })) })],
      ['percent-encoded', (id) => ({ voice: encodeURIComponent(id) })],
      ['with spaces around it', (id) => ({ voice: ` ${id}\n` })],
      ['in another normal form', (id) => ({ voice: id.normalize('NFD') })],
      ['before a NUL', (id) => ({ voice: `${id}\0x` })],
      [
        'escaped',
        (id) =>
          `{"voice":"\\u${id.charCodeAt(0).toString(16).padStart(4, '0')}${JSON.stringify(id.slice(1)).slice(1)}}`,
      ],
    ];

    test.each(waysToWrite)('%s', async (_, write) => {
      const { mock, origin } = await setUp();
      for (const id of ids) {
        mock.fail({ route: 'POST /v1/audio/voices/design', body: { voice_id: id }, times: 1 });
        const send = (user: string, path: string, body: object | string) =>
          sendRaw(origin, {
            method: 'POST',
            path: mount + path,
            headers: { 'x-user': user, 'content-type': 'application/json' },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          });
        expect((await send('ann', '/v1/audio/voices/design', voice)).status).toBe(200);
        const before = mock.requests.length;
        expect([id, await send('bob', '/v1/audio/tasks', write(id))]).toMatchObject([
          id,
          { status: 404, code: 'resource_not_found' },
        ]);
        expect(mock.requests).toHaveLength(before);
        await send('ann', '/v1/audio/tasks', write(id));
        expect(mock.requests).toHaveLength(before + 1);
      }
    });

    test.each([
      ['in a sentence', 'Read this with voice_one, please.'],
      ['in a URL', 'https://files.example/voices/voice_one/sample.mp3?x=1'],
      ['in markup', '<voice name="voice_one">Hi</voice>'],
      ['in quotes in a long text', `${'Waves roll. '.repeat(10_000)} 'voice_one' `],
      ['after a word', 'ref:voice_one'],
    ])('%s', async (_, text) => {
      const { store, ann, bob, mock } = await setUp();
      await store.own('ann', ['voice_one']);
      const speech = { model: 'echo-speech', text, voice_id: 'calm-harbor' };
      await rejection(NotFoundError, bob.audio.speech.submit(speech));
      expect(mock.requests).toHaveLength(0);
      await ann.audio.speech.submit(speech).catch(() => {});
      expect(mock.requests).toHaveLength(1);
    });

    test('as a number that a number of JavaScript cannot hold', async () => {
      const { store, origin, mock } = await setUp();
      await store.own('ann', ['9007199254740993', '4711']);
      const send = (field: string, user: string) =>
        sendRaw(origin, {
          method: 'POST',
          path: `${mount}/v1/images/tasks`,
          headers: { 'x-user': user, 'content-type': 'application/json' },
          body: `{"model":"prism-image","prompt":"A harbor",${field}}`,
        });
      const fields = [
        '"a":9007199254740993',
        '"a":[9.007199254740993e15]',
        '"SOURCE_TASK_ID":4711',
        '"sourceTaskId":4711.0',
        '"task":47.11e2',
      ];
      for (const field of fields) expect((await send(field, 'bob')).status).toBe(404);
      expect((await send('"task_id":1e2000', 'bob')).status).toBe(400);
      expect(mock.requests).toEqual([]);
      for (const field of fields) expect((await send(field, 'ann')).status).toBe(202);
    });
  });

  test('forwards megabytes of base64 and of prose, in which nothing is looked up', async () => {
    const { store, ann, mock } = await setUp();
    let names = 0;
    const { ownersOf } = store;
    store.ownersOf = async (resources) => {
      names += resources.length;
      return ownersOf(resources);
    };
    const data = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * i) >> 3));
    const url = `data:image/png;base64,${data.toString('base64')}`;
    await ann.images.submit({ ...image, ...{ images: [url] } });
    const prompt = 'The harbor lies still, and boats rest. '.repeat(50_000);
    await ann.images.submit({ ...image, prompt }).catch(() => {});
    expect(mock.requests).toHaveLength(2);
    expect(names).toBeLessThan(100);
  });

  test('checks the query, and an id in the path as it is decoded, also of what has no owner', async () => {
    const { store, origin, mock } = await setUp({
      unowned: 'allow',
      allow: [...allow, 'GET /v1/jobs/{jobId}?task'],
    });
    await store.own('ann', ['task_1', 'job 1']);
    const get = async (path: string, user: string) =>
      (await sendRaw(origin, { path: mount + path, headers: { 'x-user': user } })).code;
    const paths = [
      '/v1/images/tasks/task_1',
      '/v1/images/tasks/%20task_1',
      '/v1/images/tasks/task%255F1',
      '/v1/images/tasks/task_1%3Fa=b',
      '/v1/jobs/job%201',
      '/v1/jobs/x?task=task_1',
    ];
    for (const path of paths) expect(await get(path, 'bob')).toMatch(/^(task|resource)_not_found$/);
    expect(mock.requests).toEqual([]);
    await get('/v1/jobs/job%201?task=task_1', 'ann');
    expect(mock.requests).toHaveLength(1);
  });

  test.each(['task/1', 'task 1', 'aGVsbG8//d29ybGQ=+/x==', 'tâche (1)', '50%', 'a%2Fb'])(
    'shows its owner the task %s',
    async (id) => {
      const { ann, bob, mock } = await setUp();
      const body = { id, status: 'queued' };
      mock.fail({
        route: 'POST /v1/images/tasks',
        status: 202,
        body,
        headers: { 'x-svc-task-id': null },
        times: 1,
      });
      mock.fail({ route: 'GET /v1/images/tasks/{id}', body });
      const task = await ann.images.submit(image);
      expect(await task.retrieve()).toMatchObject({ id });
      expect(mock.requests.at(-1)?.path).toBe(`/v1/images/tasks/${encodeURIComponent(id)}`);
      await rejection(NotFoundError, bob.images.retrieve(id));
    },
  );

  test.each(['text/plain', 'application/vnd.service+json', 'application/octet-stream', ''])(
    'finds the id of a task in JSON that is labelled "%s"',
    async (type) => {
      const { ann, mock } = await setUp();
      const headers = { 'x-svc-task-id': null, 'content-type': type };
      mock.fail({ route: 'POST /v1/images/tasks', status: 202, body: '{"id":"task_1"}', headers });
      mock.fail({ route: 'GET /v1/images/tasks/{id}', body: { id: 'task_1', status: 'queued' } });
      const task = await ann.images.submit(image);
      expect(await task.retrieve()).toMatchObject({ id: 'task_1' });
    },
  );

  test('responds alike to tasks of others and to those that it does not know, and says what is true', async () => {
    const { ann, origin } = await setUp();
    const { id } = await ann.images.submit(image);
    const get = async (path: string) => {
      const { status, body } = await sendRaw(origin, {
        path: `${mount}/v1/images/tasks/${path}`,
        headers: { 'x-user': 'bob' },
      });
      return { status, body };
    };
    const other = await get(id);
    expect(other).toEqual(await get('none'));
    expect(other.body).toContain('does not know the owner of this task');
    expect(other.body).not.toContain('does not exist');
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

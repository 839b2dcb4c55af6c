import { NotFoundError } from 'polygate';
import { defaultRoutes, memoryStore } from 'polygate/proxy';
import { describe, expect, test } from 'vitest';

import { rejection } from '../../support/rejection.ts';
import { image } from './limits/support.ts';
import { mount, sendRaw, startProxy } from './support.ts';

const once = { maxRetries: 0 };
const voice = { prompt: 'A calm voice', preview_text: 'Hi' };
const allow = [...defaultRoutes, 'GET /v1/materials'];

/** An isolated proxy with two users. */
async function setUp(options: Parameters<typeof startProxy>[0] = {}) {
  const store = memoryStore();
  const setup = await startProxy({ isolate: true, allow, store, ...options });
  return { ...setup, store, ann: setup.page(once, 'ann'), bob: setup.page(once, 'bob') };
}

describe('isolate', () => {
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

  test('finds a large number that services may round to the id of another user, and forwards other ones', async () => {
    const { origin, mock } = await setUp();
    const send = async (user: string, field: string, id?: string) => {
      if (id !== undefined) {
        const headers = { 'x-svc-task-id': null };
        mock.fail({ route: 'POST /v1/images/tasks', body: `{"id":${id}}`, headers, times: 1 });
      }
      const { status } = await sendRaw(origin, {
        method: 'POST',
        path: `${mount}/v1/images/tasks`,
        headers: { 'x-user': user, 'content-type': 'application/json' },
        body: `{"model":"prism-image","prompt":"A harbor"${field}}`,
      });
      return status;
    };
    await send('ann', '', '90071992547409930');
    const rounded = [
      ',"seed":90071992547409931',
      ',"seed":90071992547409930.5',
      ',"seed":"90071992547409931"',
      ',"task_id":90071992547409936',
    ];
    for (const field of rounded) expect([field, await send('bob', field)]).toEqual([field, 404]);
    for (const field of rounded) expect([field, await send('ann', field)]).toEqual([field, 202]);
    expect(await send('bob', ',"seed":18446744073709551557')).toBe(202);
    // No service rounds a string. It may round a number to the id of the other user, even if this user owns the exact id.
    await send('bob', '', '90071992547409931');
    expect(await send('bob', ',"task_id":"90071992547409931"')).toBe(202);
    expect(await send('bob', rounded[0] ?? '')).toBe(404);
    expect(await send('bob', `,"task_id":"90071992547409931"${rounded[0]}`)).toBe(404);
    expect(await send('bob', ',"seed":18446744073709551557')).toBe(202);
    expect(await send('bob', ',"seed":90071992547409930')).toBe(404);
  });

  test('finds an id that is a plain word in markup and JSON, but not in prose', async () => {
    const { store, bob, mock } = await setUp();
    await store.own('ann', ['harbor']);
    await bob.images.submit({ ...image, prompt: 'A harbor at dusk' });
    expect(mock.requests).toHaveLength(1);
    await rejection(NotFoundError, bob.images.submit({ ...image, prompt: 'harbor' }));
    const marked = ['harbor', '<voice name="harbor">Hi</voice>', 'cfg = {"voice": "harbor"};'];
    for (const prompt of marked) {
      await rejection(NotFoundError, bob.images.submit({ ...image, prompt }));
    }
    expect(mock.requests).toHaveLength(1);
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
    await ann.images.submit(Object.assign({ images: [url] }, image));
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
});

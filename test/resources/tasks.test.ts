import { describe, expect, test } from 'vitest';

import {
  AbortedError,
  APIError,
  ConfigurationError,
  NotFoundError,
  Polygate,
  ResponseValidationError,
  TaskFailedError,
  TaskWaitTimeoutError,
} from '../../src/index.ts';
import type { Generation, Receipt, SubmittedTask, Task, TaskKind } from '../../src/index.ts';
import type { MockGateway } from '../../src/mock/index.ts';
import { jsonReply, clientOf, onMock, scripted, thrown } from '../client/support.ts';
import { collect, rejection } from '../support/rejection.ts';

/** A kind of task: how to submit and generate one, and the namespace it belongs to. */
interface TaskCase {
  kind: TaskKind;
  path: string;
  submit: (gateway: Polygate, idempotencyKey?: string) => Promise<SubmittedTask>;
  generate: (gateway: Polygate, options: { waitTimeout?: number }) => Promise<Generation>;
  of: (gateway: Polygate) => {
    task: (from: string) => Task;
    wait: (from: string) => Promise<Generation>;
    retrieve: (id: string) => PromiseLike<Generation>;
  };
}

const prompt = 'A secret harbor';
const image = { model: 'prism-image', prompt };
const video = { model: 'tide-video', prompt };
const music = { model: 'anthem-music', prompt };
const speech = { model: 'echo-speech', text: prompt, voice_id: 'calm-narrator' };

const taskCases: [string, TaskCase][] = [
  [
    'an image task',
    {
      kind: 'image',
      path: '/v1/images/tasks/',
      submit: async (gateway, idempotencyKey) => gateway.images.submit(image, { idempotencyKey }),
      generate: async (gateway, options) => gateway.images.generate(image, options),
      of: ({ images }) => images,
    },
  ],
  [
    'a video task',
    {
      kind: 'video',
      path: '/v1/videos/',
      submit: async (gateway, idempotencyKey) => gateway.videos.submit(video, { idempotencyKey }),
      generate: async (gateway, options) => gateway.videos.generate(video, options),
      of: ({ videos }) => videos,
    },
  ],
  [
    'a music task',
    {
      kind: 'audio',
      path: '/v1/audio/tasks/',
      submit: async ({ audio }, idempotencyKey) => audio.music.submit(music, { idempotencyKey }),
      generate: async ({ audio }, options) => audio.music.generate(music, options),
      of: ({ audio }) => audio,
    },
  ],
  [
    'a speech task',
    {
      kind: 'audio',
      path: '/v1/audio/tasks/',
      submit: async ({ audio }, idempotencyKey) => audio.speech.submit(speech, { idempotencyKey }),
      generate: async ({ audio }, options) => audio.speech.generate(speech, options),
      of: ({ audio }) => audio,
    },
  ],
];

/** A new client of the same gateway. */
function otherClient({ apiKey, baseURL, fetch, clock }: MockGateway): Polygate {
  return new Polygate({ apiKey, baseURL, fetch, clock, logLevel: 'off' });
}

describe.each(taskCases)('%s', (_, { kind, path, submit, generate, of }) => {
  test('is resumed from its receipt by another client', async () => {
    const { gateway, mock } = onMock();
    const task = await submit(gateway, 'row-17');
    const receipt = JSON.stringify(task);
    expect(JSON.parse(receipt)).toEqual({
      v: 1,
      kind,
      id: task.id,
      idempotencyKey: 'row-17',
      chargeUsd: task.chargeUsd,
      submittedAt: '2026-05-01T00:00:00.000Z',
    });
    expect(receipt).not.toContain(mock.apiKey);
    expect(receipt).not.toContain(prompt);
    mock.clearRecords();
    const resumed = otherClient(mock).resume(JSON.parse(receipt));
    expect(mock.requests).toEqual([]);
    expect(resumed).toMatchObject({ id: task.id, kind, idempotencyKey: 'row-17' });
    expect(resumed.latest).toBeUndefined();
    expect(resumed.meta).toBeUndefined();
    const done = await mock.clock.settle(resumed.wait());
    expect(done).toMatchObject({ id: task.id, kind, status: 'succeeded' });
    expect(done.urls.length).toBeGreaterThan(0);
    expect(mock.requests.every((request) => request.path === path + task.id)).toBe(true);
    expect(JSON.stringify(resumed)).toBe(receipt);
    expect(mock.invoice).toEqual([]);
  });

  test('has a receipt that is plain JSON, without undefined fields', async () => {
    const { gateway } = onMock();
    const task = await submit(gateway);
    for (const handle of [task, of(gateway).task(task.id), gateway.resume(task.toJSON())]) {
      expect(handle.toJSON()).toStrictEqual(JSON.parse(JSON.stringify(handle)));
    }
  });

  test('can be retrieved, followed and waited for by its id', async () => {
    const { gateway, mock } = onMock();
    const { id } = await submit(gateway);
    const namespace = of(otherClient(mock));
    expect(await namespace.retrieve(id)).toMatchObject({ id, kind, status: 'queued' });
    const handle = namespace.task(id);
    expect(handle.toJSON()).toEqual({ v: 1, kind, id });
    const updates = await mock.clock.settle(collect(handle.updates()));
    expect(updates.at(-1)).toMatchObject({ id, status: 'succeeded' });
    expect(await namespace.wait(id)).toMatchObject({ id, status: 'succeeded' });
  });

  test('rejects with NotFoundError if it is unknown', async () => {
    const { gateway } = onMock();
    const poll = Promise.resolve(of(gateway).retrieve('task_unknown'));
    expect((await rejection(NotFoundError, poll)).code).toBe('task_not_found');
  });

  test('is not visible to other users', async () => {
    const keys = [
      { key: 'sk-a', user: 1 },
      { key: 'sk-b', user: 2 },
    ];
    const { gateway } = onMock({ keys });
    const { id } = await submit(gateway);
    const other = of(gateway.withOptions({ apiKey: 'sk-b' }));
    const error = await rejection(NotFoundError, Promise.resolve(other.retrieve(id)));
    expect(error.code).toBe('task_not_found');
  });

  test('is not a promise', async () => {
    const { gateway } = onMock();
    const task = await submit(gateway);
    expect('then' in task).toBe(false);
    expect(task.latest).toMatchObject({ status: 'queued', progress: 0 });
  });

  test('is on every error after the submit request', async () => {
    const { gateway, mock } = onMock({ tasks: { durationMs: 60_000, outcome: 'failed' } });
    const late = generate(gateway, { waitTimeout: 5_000 });
    const errors: { task?: { id: string } | undefined }[] = [
      await rejection(TaskWaitTimeoutError, mock.clock.settle(late)),
    ];
    mock.fail({ route: `GET ${path}{id}`, status: 401, times: 1 });
    errors.push(await rejection(APIError, mock.clock.settle(generate(gateway, {}))));
    errors.push(await rejection(TaskFailedError, mock.clock.settle(generate(gateway, {}))));
    const task = await submit(gateway);
    const aborted = task.wait({ signal: AbortSignal.abort() });
    errors.push(await rejection(AbortedError, aborted));
    expect(errors.map((error) => error.task?.id)).toEqual(mock.tasks.map(({ id }) => id));
  });

  const unexpected: [string, unknown][] = [
    ['a record without an id', { status: 'queued' }],
    ['a list', []],
    ['text', 'accepted'],
    ['a success without a URL', { status: 'completed', result: { outputs: [7] } }],
  ];

  test.each(unexpected)(
    'is on the error with body and meta if the submit response is %s',
    async (__, body) => {
      const headers = { 'x-svc-task-id': 'task_7', 'x-svc-charge-usd': '0.5' };
      const { fetch, sent } = scripted(
        jsonReply(202, body, body === unexpected[0]?.[1] ? {} : headers),
      );
      const gateway = clientOf(fetch);
      const error = await rejection(ResponseValidationError, submit(gateway, 'row-9'));
      expect(error.body).toEqual(body);
      expect(error).toMatchObject({
        outcome: 'unknown',
        idempotencyKey: 'row-9',
        meta: { status: 202 },
      });
      if (body === unexpected[0]?.[1]) {
        expect(error.task).toBeUndefined();
      } else {
        expect(error.task?.toJSON()).toMatchObject({
          v: 1,
          kind,
          id: 'task_7',
          idempotencyKey: 'row-9',
        });
        expect(gateway.spend.totalUsd).toBe(0.5);
      }
      expect(sent).toHaveLength(1);
    },
  );

  test('keeps undocumented fields in raw, and tolerates invalid optional fields', async () => {
    const record = { id: 'task_1', status: 'resting', eta: [7], progress: {}, error: 'none' };
    const { fetch } = scripted(jsonReply(202, record));
    const task = await submit(clientOf(fetch));
    expect(task.latest).toEqual({
      id: 'task_1',
      kind,
      status: 'running',
      rawStatus: 'resting',
      progress: undefined,
      urls: [],
      error: undefined,
      model: undefined,
      createdAt: undefined,
      raw: record,
    });
  });
});

describe('gateway.resume()', () => {
  const receipt: Receipt = {
    v: 1,
    kind: 'image',
    id: 'task_1',
    idempotencyKey: 'row-1',
    chargeUsd: 0.02,
    submittedAt: '2026-05-01T00:00:00.000Z',
  };

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a task id', 'task_1'],
    ['a list', [receipt]],
    ['another version', { ...receipt, v: 2 }],
    ['no version', { ...receipt, v: undefined }],
    ['no kind', { ...receipt, kind: undefined }],
    ['an unknown kind', { ...receipt, kind: 'text' }],
    ['a kind that every object has as a property', { ...receipt, kind: 'constructor' }],
    ['no id', { ...receipt, id: undefined }],
    ['an empty id', { ...receipt, id: '' }],
    ['an id that changes the path', { ...receipt, id: '../account' }],
    ['an id that is a number', { ...receipt, id: 7 }],
    ['a key with a space', { ...receipt, idempotencyKey: 'a b' }],
    ['a charge given as a string', { ...receipt, chargeUsd: '1' }],
    ['an invalid date', { ...receipt, submittedAt: 'yesterday' }],
  ])('rejects %s', (_, malformed: unknown) => {
    const { gateway, mock } = onMock();
    const error = thrown(() => gateway.resume(malformed));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });

  test.each([-1, -Infinity, Infinity, NaN, null])(
    'accepts a receipt whose charge is %s, which says nothing about the charge',
    (chargeUsd) => {
      const { gateway } = onMock();
      const stored: unknown = { ...receipt, chargeUsd };
      const task = gateway.resume(stored);
      expect(task).toMatchObject({ id: 'task_1', idempotencyKey: 'row-1', chargeUsd: undefined });
    },
  );

  test('does not need the key, the charge or the date', () => {
    const { gateway } = onMock();
    for (const kind of ['image', 'video', 'audio'] as const) {
      expect(gateway.resume({ v: 1, kind, id: 'task_1' })).toMatchObject({ kind, id: 'task_1' });
    }
  });

  test('leaves a receipt of another kind to be rejected by the namespaces', () => {
    const { gateway } = onMock();
    const video1 = { v: 1, kind: 'video', id: 'task_1' } as unknown as Receipt<'image'>;
    for (const call of [
      () => gateway.images.task(video1),
      () => gateway.audio.task(video1 as never),
    ]) {
      const error = thrown(call);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toMatch(/kind.*video/);
    }
  });
});

import { describe, expect, test } from 'vitest';

import { CallHistory } from '../../../src/client/call/history.ts';
import { emptyMeta } from '../../../src/client/http/response-meta.ts';
import { readGeneration } from '../../../src/client/tasks/generation.ts';
import { Polygate } from '../../../src/index.ts';
import type { TaskKind, TaskStatus } from '../../../src/index.ts';

const gateway = new Polygate({ apiKey: null, baseURL: 'https://gateway.example' });

/** A poll of the task with this id, or a submission. */
function callFor(id: string | undefined) {
  const task = id === undefined ? undefined : gateway.images.task(id);
  return new CallHistory({ method: 'GET', template: '/', safety: 'safe', task });
}

/** Parses a record that must be valid. */
function read(body: unknown, id?: string, kind: TaskKind = 'image') {
  const result = readGeneration(kind)(body, () => emptyMeta(200), callFor(id));
  if (result.issues !== undefined) throw new Error(result.issues[0]?.message);
  return result.value;
}

/** The problem of a record. */
function problemOf(body: unknown, id?: string): string | undefined {
  return readGeneration('image')(body, () => emptyMeta(200), callFor(id)).issues?.[0]?.message;
}

const url = (name: string) => `https://cdn.example/${name}.png`;
const finished = { id: 't-1', status: 'completed' };

describe('A4: status values', () => {
  const rawStatuses: Record<TaskStatus, string[]> = {
    queued: ['submitted', 'queued', 'pending', 'not_start'],
    running: ['in_progress', 'processing', 'running', 'rendering', 'paused?', '進行中'],
    succeeded: ['success', 'succeeded', 'completed'],
    failed: ['failed', 'failure', 'error', 'cancelled', 'canceled', 'expired'],
  };
  const cases = Object.entries(rawStatuses).flatMap(([status, list]) =>
    list.map((rawStatus) => [rawStatus, status]),
  );

  test.each(cases)(
    '%s means %s in any letter case, and is kept as rawStatus',
    (rawStatus = '', status) => {
      const capitalized = rawStatus.slice(0, 1).toUpperCase() + rawStatus.slice(1);
      for (const sent of [rawStatus, rawStatus.toUpperCase(), capitalized]) {
        const generation = read({ id: 't-1', status: sent, image_url: url('a') });
        expect(generation).toMatchObject({ status, rawStatus: sent });
      }
    },
  );

  test('an unknown status counts as running even if there is a URL', () => {
    const generation = read({ id: 't-1', status: 'upscaling', image_url: url('preview') });
    expect(generation.status).toBe('running');
  });

  test.each(['toString', 'constructor', '__proto__', 'valueOf'])(
    '%s is an unknown status',
    (rawStatus) => {
      expect(read({ id: 't-1', status: rawStatus })).toMatchObject({
        status: 'running',
        rawStatus: rawStatus,
      });
    },
  );

  test('rawStatus is the value of status, not of raw_status', () => {
    const record = { id: 't-1', status: 'processing', raw_status: 'SUCCESS' };
    expect(read(record)).toMatchObject({ status: 'running', rawStatus: 'processing' });
  });
});

describe('A5: locations of URLs', () => {
  const locations: Record<string, object> = {
    video_url: { video_url: url('a') },
    image_url: { image_url: url('a') },
    audio_url: { audio_url: url('a') },
    'result.video_url': { result: { video_url: url('a') } },
    'result.image_url': { result: { image_url: url('a') } },
    'result.audio_url': { result: { audio_url: url('a') } },
    'result.outputs[]': { result: { outputs: [url('a')] } },
    'result.images[].url': { result: { images: [{ url: url('a') }] } },
    'result.videos[].url': { result: { videos: [{ url: url('a') }] } },
    'result.audios[].url': { result: { audios: [{ url: url('a') }] } },
    'output.video_url': { output: { video_url: url('a') } },
    'output.image_url': { output: { image_url: url('a') } },
    'output.audio_url': { output: { audio_url: url('a') } },
    'data[].url': { data: [{ url: url('a') }] },
    'results[]': { results: [url('a')] },
    url: { url: url('a') },
    result_url: { result_url: url('a') },
    'metadata.url': { metadata: { url: url('a') } },
    'content.video_url': { content: { video_url: url('a') } },
  };

  test.each(Object.entries(locations))('%s', (_, fields) => {
    for (const kind of ['image', 'video', 'audio'] as const) {
      const generation = read({ ...finished, ...fields }, undefined, kind);
      expect(generation).toMatchObject({ kind, status: 'succeeded', urls: [url('a')] });
    }
  });

  test('all locations, in order and without duplicates', () => {
    const record = {
      ...finished,
      content: { video_url: url('16') },
      metadata: { url: url('15') },
      result_url: url('14'),
      url: url('13'),
      results: [url('12'), url('1')],
      data: [{ url: url('11') }, { url: url('5') }],
      output: { image_url: url('10'), video_url: url('2') },
      result: {
        audios: [{ url: url('9') }],
        videos: [{ url: url('8') }],
        images: [{ url: url('7') }, { url: url('5') }],
        outputs: [url('5'), url('6'), url('2')],
        image_url: url('4'),
        audio_url: url('1'),
      },
      audio_url: url('3'),
      image_url: url('2'),
      video_url: url('1'),
    };
    const names = Array.from({ length: 16 }, (_, index) => url(String(index + 1)));
    expect(read(record).urls).toEqual(names);
  });

  test('empty, null and invalid values are skipped', () => {
    const record = {
      ...finished,
      video_url: '',
      image_url: null,
      audio_url: 7,
      result: { image_url: {}, outputs: [null, '', 7, [], {}, url('a')], images: 'none' },
      output: null,
      data: [null, 'x', { url: null }],
      results: {},
      metadata: 'm',
      content: [],
    };
    expect(read(record).urls).toEqual([url('a')]);
  });

  test('b64_json becomes a data URL', () => {
    const png = 'iVBORw0KGgo=';
    const jpeg = '/9j/4AAQSkZJRg==';
    const webp = 'UklGRiQAAABXRUJQVlA4';
    const images = [{ b64_json: png }, { b64_json: jpeg }, { b64_json: webp }, { url: url('a') }];
    const urls = [
      `data:image/png;base64,${png}`,
      `data:image/jpeg;base64,${jpeg}`,
      `data:image/webp;base64,${webp}`,
      url('a'),
    ];
    expect(read({ ...finished, result: { images } }).urls).toEqual(urls);
    expect(read({ created: 1, data: images }, 't-1').urls).toEqual(urls);
  });

  test('a success without a URL or with an empty list is a problem', () => {
    expect(problemOf(finished)).toMatch(/url/i);
    expect(problemOf({ ...finished, image_url: null, result: { outputs: [] } })).toMatch(/url/i);
  });

  test('the advice about a success without a URL names the task if its id is known', () => {
    const adviceOf = (body: object) => {
      const result = readGeneration('image')(body, () => emptyMeta(200), callFor(undefined));
      return 'advice' in result ? result.advice : undefined;
    };
    expect(adviceOf(finished)).toMatch(/^Task t-1 has ended and was charged\./);
    expect(adviceOf({ status: 'completed' })).toBeUndefined();
  });
});

describe('A6: wrapped records and ids', () => {
  test.each(['data', 'task'])('a record under %s is unwrapped', (name) => {
    const record = { id: 't-1', status: 'IN_PROGRESS', progress: '30%' };
    const generation = read({ code: 'success', message: '', [name]: record });
    expect(generation).toMatchObject({ id: 't-1', status: 'running', progress: 30, raw: record });
  });

  test('a record with its own status is not unwrapped', () => {
    const record = { id: 't-1', status: 'queued', task: { id: 'other', status: 'completed' } };
    expect(read(record)).toMatchObject({ id: 't-1', status: 'queued' });
  });

  test.each([
    ['id', { id: 'a', task_id: 'b' }, 'a'],
    ['task_id', { task_id: 'b' }, 'b'],
    ['the header', {}, 'c'],
    ['the header if id is empty', { id: '', task_id: null }, 'c'],
    ['id as a number', { id: 17 }, '17'],
  ])('the id comes from %s', (_, fields, id) => {
    expect(read({ status: 'queued', ...fields }, 'c').id).toBe(id);
    expect(read({ data: { status: 'queued', ...fields } }, 'c').id).toBe(id);
  });

  test('a running task without an id is a problem', () => {
    expect(problemOf({ status: 'queued' })).toMatch(/id/);
  });

  test.each([undefined, null, 'text', 7, true, []])('%j is not a record', (body) => {
    expect(problemOf(body, 't-1')).toEqual(expect.any(String));
  });
});

describe('A7: a finished response', () => {
  test('without a status but with data[].url counts as succeeded', () => {
    const body = { created: 1_767_225_600, data: [{ url: url('a') }, { url: url('b') }] };
    expect(read(body, 't-1')).toMatchObject({
      id: 't-1',
      status: 'succeeded',
      urls: [url('a'), url('b')],
      raw: body,
    });
  });

  test('needs no id', () => {
    expect(read({ data: [{ url: url('a') }] })).toMatchObject({ status: 'succeeded' });
  });
});

describe('A3: other fields', () => {
  test.each([
    ['45%', 45],
    ['45', 45],
    ['45.5%', 45.5],
    ['0%', 0],
    ['100%', 100],
    [45, 45],
    [1, 1],
    [0, 0],
    ['soon', undefined],
    ['', undefined],
    ['%', undefined],
    [null, undefined],
    [undefined, undefined],
    [{}, undefined],
    [true, undefined],
    [Number.NaN, undefined],
  ])('progress %j is parsed as %j', (progress, percent) => {
    expect(read({ id: 't-1', status: 'running', progress }).progress).toBe(percent);
  });

  test.each(['150%', 150, -5, '-5%', 1e300])('progress %j stays within 0 and 100', (progress) => {
    const percent = read({ id: 't-1', status: 'running', progress }).progress ?? 0;
    expect(percent).toBeGreaterThanOrEqual(0);
    expect(percent).toBeLessThanOrEqual(100);
  });

  test.each([
    [1_767_225_600, '2026-01-01T00:00:00.000Z'],
    [1_767_225_600_000, '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T08:00:00+08:00', '2026-01-01T00:00:00.000Z'],
    ['yesterday', undefined],
    ['', undefined],
    [null, undefined],
    [{}, undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ])('created_at %j is parsed as %j', (created_at, date) => {
    const { createdAt } = read({ id: 't-1', status: 'running', created_at });
    expect(createdAt?.toISOString()).toBe(date);
  });

  test.each([
    [{ error: { message: 'Too dark', code: 'dark' } }, { message: 'Too dark', code: 'dark' }],
    [{ error: { message: 'Too dark' } }, { message: 'Too dark' }],
    [{ error: 'Too dark' }, { message: 'Too dark' }],
    [{ error: null }, { message: expect.stringMatching(/./) }],
    [{}, { message: expect.stringMatching(/./) }],
    [{ error: { code: 'dark' } }, { message: expect.stringMatching(/./), code: 'dark' }],
  ])('parses the error of a failed task: %j', (fields, error) => {
    const generation = read({ id: 't-1', status: 'failed', ...fields });
    expect(generation.status).toBe('failed');
    expect(generation.error).toEqual(error);
  });

  test('a task that has not failed has no error', () => {
    expect(read({ id: 't-1', status: 'running', error: null }).error).toBeUndefined();
    expect(read({ ...finished, image_url: url('a'), error: {} }).error).toBeUndefined();
  });

  test('model is returned, and raw is the unchanged record', () => {
    const record = { id: 't-1', status: 'running', model: 'prism', extra: { a: [1] } };
    const generation = read(record);
    expect(generation).toMatchObject({ model: 'prism', kind: 'image', urls: [] });
    expect(generation.raw).toBe(record);
  });

  test('hostile keys do not modify any prototype', () => {
    const text = '{"id":"t-1","status":"running","__proto__":{"polluted":true}}';
    expect(Reflect.get(read(JSON.parse(text)), 'polluted')).toBeUndefined();
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

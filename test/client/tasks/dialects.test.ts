import { describe, expect, test } from 'vitest';

import { ResponseValidationError, TaskFailedError } from '../../../src/index.ts';
import type { SucceededGeneration, TaskKind } from '../../../src/index.ts';
import { collect, rejection } from '../../support/rejection.ts';
import { clientOf, jsonReply, scripted, virtualClock } from '../support.ts';

const url = 'https://files.example/a';
const input = 'https://inputs.example/a';
const params = { model: 'prism-image', prompt: 'A harbor' };

/** A client whose tasks end with this record. */
function clientWith(record: object, submitted: object = { status: 'queued' }) {
  const { fetch } = scripted(
    jsonReply(202, { id: 'task_1', ...submitted }),
    jsonReply(200, { id: 'task_1', ...record }),
  );
  const clock = virtualClock();
  const gateway = clientOf(fetch, { clock, maxRetries: 0 });
  const generate = (kind: TaskKind): Promise<SucceededGeneration> =>
    kind === 'image'
      ? gateway.images.generate(params)
      : kind === 'video'
        ? gateway.videos.generate(params)
        : gateway.audio.music.generate(params);
  return { clock, gateway, generate };
}

describe('a result', () => {
  const locations: readonly [record: object, kind?: TaskKind][] = [
    [{ output: [url] }],
    [{ output: url }],
    [{ output: [{ url }] }],
    [{ output: { url } }],
    [{ output: [{ image_url: url }] }],
    [{ output: { images: [{ url }] } }],
    [{ outputs: [url] }],
    [{ outputs: [{ url }] }],
    [{ video: { url } }, 'video'],
    [{ videos: [{ url }] }, 'video'],
    [{ image: { url } }],
    [{ images: [{ url, width: 1 }] }],
    [{ audio: { url } }, 'audio'],
    [{ result: { video_url: url } }, 'video'],
  ];
  const statuses = ['done', 'finished', 'Done', 'FINISHED', 'complete', 'succeed', 'succeeded'];

  test.each(locations)('is found in %j', async (record, kind = 'image') => {
    for (const status of [...statuses, undefined]) {
      const { clock, generate } = clientWith({ ...record, status });
      expect(await clock.settle(generate(kind))).toMatchObject({
        status: 'succeeded',
        rawStatus: status ?? '',
        urls: [url],
      });
    }
  });

  test.each([
    { image: input },
    { images: [input] },
    { image: { url: input } },
    { video: { url: input } },
  ])('is not mistaken for the input that a record repeats: %j', async (fields) => {
    const { clock, generate } = clientWith({ ...fields, output: [url], status: 'done' });
    expect((await clock.settle(generate('image'))).urls).toEqual([url]);
  });

  test.each<[TaskKind, object]>([
    ['image', { image: { url: input } }],
    ['image', { images: [{ url: input }] }],
    ['video', { video: { url: input } }],
    ['video', { image_url: input }],
    ['audio', { video_url: input, audio: { url: input } }],
  ])(
    'of a new %s without a status is not the input that its response repeats: %j',
    async (kind, fields) => {
      const { clock, generate } = clientWith({ status: 'done', outputs: [url] }, fields);
      expect((await clock.settle(generate(kind))).urls).toEqual([url]);
    },
  );

  test('of a video is not the picture that it was made from', async () => {
    for (const result of [{ video: { url } }, { videos: [{ url }] }]) {
      const { clock, generate } = clientWith({ status: 'done', image_url: input, ...result });
      expect((await clock.settle(generate('video'))).urls).toEqual([url]);
    }
  });

  test('ends the row of a batch', async () => {
    const { clock, gateway } = clientWith({ status: 'finished', output: [url] });
    const rows = collect(gateway.batch([1], () => gateway.images.submission(params)));
    expect(await clock.settle(rows)).toMatchObject([
      { status: 'succeeded', generation: { urls: [url] } },
    ]);
  });
});

describe('the reason of a failed task', () => {
  test.each<[object, string?]>([
    [{ failure: 'blocked' }],
    [{ failure: { message: 'blocked', code: 'nsfw' } }, 'nsfw'],
    [{ failure: { reason: 'blocked' } }],
    [{ error_message: 'blocked' }],
    [{ reason: 'blocked' }],
    [{ failure_reason: 'blocked', message: 'success' }],
    [{ error: null, failure: 'blocked', reason: '' }],
    [{ error: {}, error_message: 'blocked', error_code: 7 }, '7'],
    [{ error: { reason: 'blocked', code: 'nsfw' } }, 'nsfw'],
    [{ fail_reason: 'blocked' }],
    [{ error: 'blocked' }],
    [{ message: 'blocked' }],
  ])('is read from %j', async (fields, code) => {
    for (const status of ['failed', 'FAIL', 'rejected', 'aborted']) {
      const { clock, generate } = clientWith({ ...fields, status });
      const error = await clock.settle(rejection(TaskFailedError, generate('image')));
      expect(error.message).toContain('Task task_1 failed: blocked.');
      expect(error.generation.error).toEqual({ message: 'blocked', code });
    }
  });

  test.each(['done', 'finished', 'completed'])(
    'is one although the status is %s, if there is no result',
    async (status) => {
      for (const reason of [
        { error: 'blocked' },
        { failure: 'blocked' },
        { error_message: 'blocked' },
      ]) {
        const { clock, generate } = clientWith({ ...reason, status });
        const error = await clock.settle(rejection(TaskFailedError, generate('image')));
        expect(error.message).toContain('failed: blocked');
      }
    },
  );

  test.each([
    { error: {} },
    { error: [] },
    { error: { message: '' } },
    { error: { code: 0, message: '' } },
    { error: { code: null, message: null }, failure: false, error_message: '' },
    { failure: { code: '', reason: '' } },
  ])('is not an error without content, such as %j', async (fields) => {
    for (const status of ['done', 'succeeded']) {
      const { clock, generate } = clientWith({ ...fields, status });
      const error = await clock.settle(rejection(ResponseValidationError, generate('image')));
      expect(error.message).toContain('Task task_1 has ended and was charged.');
    }
  });
});

import { describe, expect, test } from 'vitest';

import { ConfigurationError, ResponseValidationError } from '../../src/index.ts';
import { memoryJournal } from '../client/batch/support.ts';
import { clientOf, jsonReply, scripted, virtualClock } from '../client/support.ts';
import { collect, rejection } from '../support/rejection.ts';

const image = { model: 'prism-image', prompt: 'A harbor' };
const finished = { status: 'succeeded', data: [{ url: 'https://files.example/a.png' }] };

/** A response to a submission, as a service may send it. Without `json`, the id is in the headers alone. */
const accepted =
  (json: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(json, {
      status: 202,
      headers: { 'content-type': 'application/json', ...headers },
    });

describe('the id of a task', () => {
  test.each([
    ['is the one in the header if the one in the body was rounded', '{"id":90071992547409931}'],
    ['may be in the header alone', '{"status":"queued"}'],
  ])('%s', async (_, json) => {
    const { fetch, sent } = scripted(
      accepted(json, { 'x-svc-task-id': '90071992547409931' }),
      jsonReply(200, finished),
    );
    const task = await clientOf(fetch).images.submit(image);
    expect(task.id).toBe('90071992547409931');
    await task.retrieve();
    expect(sent[1]?.url).toMatch(/\/90071992547409931$/);
  });

  test('is the one that is polled if a record has a rounded one', async () => {
    const { fetch } = scripted(
      accepted('{"id":90071992547409931,"status":"succeeded","url":"https://x.example/a"}'),
    );
    expect((await clientOf(fetch).images.retrieve('90071992547409931')).id).toBe(
      '90071992547409931',
    );
  });

  test('is a safe number as text', async () => {
    const { fetch } = scripted(accepted('{"id":17}'));
    expect((await clientOf(fetch).images.submit(image)).id).toBe('17');
  });

  test.each([
    ['task_id', '{"id":90071992547409931,"task_id":"90071992547409931"}', {}],
    ['the record around', '{"task_id":"90071992547409931","data":{"id":90071992547409931}}', {}],
    ['a header', '{"id":90071992547409931}', { 'x-svc-task-id': '90071992547409931' }],
    ['poll_url', '{"id":90071992547409931,"poll_url":"/v1/jobs/90071992547409931"}', {}],
    ['status_url', '{"id":90071992547409931,"status_url":"/v1/jobs/90071992547409931?x=1"}', {}],
    ['the location', '{"id":90071992547409931}', { location: '/v1/jobs/90071992547409931' }],
  ])('is exact if %s repeats a rounded number', async (_, json, headers) => {
    const { fetch, sent } = scripted(accepted(json, headers), jsonReply(200, finished));
    const task = await clientOf(fetch).images.submit(image);
    expect(task.id).toBe('90071992547409931');
    await task.retrieve();
    expect(sent[1]?.url).toContain('/90071992547409931');
  });

  test.each([
    ['{"id":90071992547409931}', {}],
    ['{"data":{"task_id":90071992547409931,"status":"queued"}}', {}],
    ['{"id":1e300,"status":"queued"}', {}],
    ['{"id":90071992547409931,"poll_url":"/v1/jobs/90071992547400000"}', {}],
    ['{"id":90071992547409931}', { location: '/v1/images/tasks' }],
  ])(
    'that only a rounded number gives is reported instead of polled: %s %o',
    async (json, headers) => {
      const { fetch, sent } = scripted(accepted(json, headers));
      const error = await rejection(
        ResponseValidationError,
        clientOf(fetch, { maxRetries: 0 }).images.generate(image, { idempotencyKey: 'row-1' }),
      );
      expect(error.message).toContain('the id of the task is not exact');
      expect(error.message).toContain('The request may have been charged.');
      expect(error.message).toContain('Ask the service for the task of this request');
      expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: 'row-1' });
      expect(error.task).toBeUndefined();
      expect(sent).toHaveLength(1);
    },
  );

  test('that is rounded does not lose a result', async () => {
    const { fetch, sent } = scripted(
      accepted('{"id":90071992547409931,"status":"done","output":["https://x.example/a"]}'),
    );
    const { urls } = await clientOf(fetch).images.generate(image);
    expect(urls).toEqual(['https://x.example/a']);
    expect(sent).toHaveLength(1);
  });

  test('is read once from a header that was sent twice', async () => {
    const headers = new Headers({ 'content-type': 'application/json' });
    headers.append('x-svc-task-id', 'task_7');
    headers.append('x-svc-task-id', 'task_7');
    const { fetch, sent } = scripted(
      () => new Response('{"status":"queued"}', { status: 202, headers }),
      jsonReply(200, finished),
    );
    const task = await clientOf(fetch).images.submit(image);
    await task.retrieve();
    expect([task.id, task.meta.taskId]).toEqual(['task_7', 'task_7']);
    expect(sent[1]?.url).toMatch(/\/task_7$/);
  });
});

describe('an id that cannot be polled', () => {
  const unsafe = JSON.stringify({ id: '../other', status: 'queued' });

  test('fails the wait with the task, its key and what to do', async () => {
    const { fetch, sent } = scripted(accepted(unsafe));
    const clock = virtualClock();
    const task = await clientOf(fetch, { clock }).images.submit(image, { idempotencyKey: 'row-1' });
    const ways = [() => task.wait(), () => task.retrieve(), () => collect(task.updates())];
    for (const poll of ways) {
      const error = await clock.settle(rejection(ConfigurationError, Promise.resolve(poll())));
      expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: 'row-1' });
      expect(error.task?.id).toBe('../other');
      expect(error.message).toContain('Task ../other was accepted and may have been charged');
    }
    expect(sent).toHaveLength(1);
  });

  test('is not said to have been charged if only the caller has named it', async () => {
    const { fetch, sent } = scripted(accepted(unsafe));
    const error = await rejection(
      ConfigurationError,
      Promise.resolve(clientOf(fetch).images.retrieve('../other')),
    );
    expect([error.outcome, error.task]).toEqual([undefined, undefined]);
    expect(error.message).toMatch(/^id: must not contain/);
    expect(sent).toHaveLength(0);
  });

  test('is polled at the path that the service named', async () => {
    const { fetch, sent } = scripted(
      accepted(unsafe, { location: '/v1/images/tasks/7' }),
      jsonReply(200, finished),
    );
    const task = await clientOf(fetch).images.submit(image);
    expect((await task.retrieve()).status).toBe('succeeded');
    expect(sent[1]?.url).toMatch(/\/v1\/images\/tasks\/7$/);
  });

  test('ends a row of a batch as unknown in every run, which sends nothing again', async () => {
    const { fetch, sent } = scripted(accepted(unsafe, { 'x-svc-charge-usd': '-3' }));
    const journal = memoryJournal();
    const clock = virtualClock();
    for (const _ of [1, 2]) {
      const gateway = clientOf(fetch, { clock });
      const rows = await clock.settle(
        collect(gateway.batch([1], () => gateway.images.submission(image), { journal })),
      );
      expect(rows).toMatchObject([{ status: 'unknown', idempotencyKey: expect.any(String) }]);
    }
    expect(sent).toHaveLength(1);
  });
});

describe('a Location or poll URL', () => {
  test.each([
    '/v1/images/tasks',
    '/v1/images/tasks/',
    '/v1/images/tasks?',
    '/v1/images/generations',
  ])('that names a collection (%s) is not polled', async (location) => {
    const { fetch, sent } = scripted(
      accepted('{"id":"task_1","status":"queued"}', { location }),
      jsonReply(200, finished),
    );
    const task = await clientOf(fetch).images.submit(image);
    await task.retrieve();
    expect(sent[1]?.url).toMatch(/\/v1\/images\/tasks\/task_1$/);
  });

  test('that is below a collection, or selects from it, is polled', async () => {
    for (const poll_url of ['/v1/images/tasks?id=7', '/v1/images/tasks/7', '/v1/operations/7']) {
      const { fetch, sent } = scripted(
        jsonReply(202, { id: 'task_1', status: 'queued', poll_url }),
        jsonReply(200, finished),
      );
      await (await clientOf(fetch).images.submit(image)).retrieve();
      expect(sent[1]?.url).toBe(`https://gateway.example${poll_url}`);
    }
  });
});

import { describe, expect, test, vi } from 'vitest';

import {
  APIError,
  AbortedError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  ResponseValidationError,
  TaskFailedError,
  TaskWaitTimeoutError,
} from '../../src/index.ts';
import type { TaskUpdate } from '../../src/index.ts';
import type { Fault } from '../../src/mock/index.ts';
import {
  jsonReply,
  clientOf,
  image,
  onMock,
  scripted,
  submitted,
  turns,
  virtualClock,
} from '../client/support.ts';
import { collect, rejection } from '../support/rejection.ts';

const poll = 'GET /v1/images/tasks/{id}';
const minutes = 60_000;

describe('an outage of ten minutes does not end a wait', () => {
  const outages: Record<string, Fault> = {
    '503': { status: 503 },
    '500': { status: 500 },
    '408': { status: 408 },
    '429 for concurrency': { status: 429 },
    '429 for another reason': { status: 429, code: 'rate_limited' },
    'refused connections': { unreachable: true },
    'connections reset before the response': { reset: 'before' },
    'connections reset after the request was processed': { reset: 'after' },
    'truncated 200 responses': { truncateBody: 20 },
    '200 responses that are not JSON': { malformed: true },
    '200 responses with HTML': { status: 200, body: '<html>Back soon</html>' },
    '200 responses without a body': { status: 200, body: '' },
    '200 responses with a list': { status: 200, body: [] },
    '200 responses with null': { status: 200, body: 'null' },
  };

  test.each(Object.entries(outages))('of %s', async (_, fault) => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image);
    const outage = mock.fail({ route: poll, ...fault });
    const updates: TaskUpdate<'image'>[] = [];
    const waiting = task.wait({ onUpdate: (update) => updates.push(update) });
    await mock.clock.advance(10 * minutes);
    outage.remove();
    const done = await mock.clock.settle(waiting);
    expect(done).toMatchObject({ id: task.id, status: 'succeeded' });
    expect(done).not.toHaveProperty('pollError');
    expect(outage.affectedRequests).toBeGreaterThan(100);
    const failed = updates.slice(0, -1);
    expect(failed).toHaveLength(outage.affectedRequests);
    for (const update of failed) {
      expect(update).toMatchObject({ id: task.id, status: 'queued', pollError: expect.any(Error) });
    }
    expect(mock.invoice).toHaveLength(1);
  });

  test('and is reported by updates() as well', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route: poll, status: 503, times: 2 });
    const task = await gateway.images.submit(image);
    const updates = await mock.clock.settle(collect(task.updates()));
    const errors = updates.map(({ pollError }) => pollError?.name);
    expect(errors.slice(0, 3)).toEqual([
      'ServiceUnavailableError',
      'ServiceUnavailableError',
      undefined,
    ]);
    expect(updates.at(-1)?.status).toBe('succeeded');
  });

  test('of hanging polls, which time out and are repeated', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route: poll, stallHeaders: true, times: 2 });
    const errors: unknown[] = [];
    const onUpdate = ({ pollError }: TaskUpdate) => errors.push(pollError?.name);
    await mock.clock.settle(gateway.images.generate(image, { onUpdate }));
    expect(errors).toEqual(['RequestTimeoutError', 'RequestTimeoutError', undefined]);
  });
});

describe('a wait is ended by', () => {
  const statuses: [number, typeof APIError][] = [
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionDeniedError],
    [410, APIError],
    [422, APIError],
  ];

  test.each(statuses)(
    'a %i immediately, with a task on the error that can be waited for',
    async (status, kind) => {
      const { gateway, mock } = onMock();
      const fault = mock.fail({ route: poll, status });
      const error = await rejection(kind, mock.clock.settle(gateway.images.generate(image)));
      expect(error.status).toBe(status);
      expect(fault.affectedRequests).toBe(1);
      fault.remove();
      const { id, idempotencyKey } = mock.tasks[0] ?? {};
      expect(error.task).toMatchObject({ id, idempotencyKey });
      const done = await mock.clock.settle(Promise.resolve(error.task?.wait()));
      expect(done).toMatchObject({ id, status: 'succeeded' });
    },
  );

  test('three consecutive 404s, but not by fewer', async () => {
    const { gateway, mock } = onMock();
    const missing = { route: poll, status: 404, code: 'task_not_found' };
    const rare = mock.fail({ ...missing, attempt: [1, 2, 4, 5, 7, 8] });
    const unavailable = mock.fail({ route: poll, status: 503, attempt: [3, 6] });
    const task = await gateway.images.submit(image);
    await mock.clock.settle(task.wait());
    expect([rare.affectedRequests, unavailable.affectedRequests]).toEqual([6, 2]);

    const gone = mock.fail(missing);
    const error = await rejection(
      NotFoundError,
      mock.clock.settle(gateway.images.generate({ ...image, prompt: 'Another' })),
    );
    expect(gone.affectedRequests).toBe(3);
    expect(error).toMatchObject({ code: 'task_not_found', task: { id: mock.tasks[1]?.id } });
  });

  test('the failure of the task, with generation and task on the error', async () => {
    const { gateway, mock } = onMock({ tasks: { outcome: 'failed' } });
    const error = await rejection(
      TaskFailedError,
      mock.clock.settle(gateway.images.generate(image)),
    );
    const { id, idempotencyKey } = mock.tasks[0] ?? {};
    expect(error).toMatchObject({ name: 'TaskFailedError', idempotencyKey });
    expect(error.generation).toMatchObject({
      id,
      status: 'failed',
      rawStatus: 'failed',
      error: { code: 'generation_failed' },
    });
    expect(error.message).toContain(error.generation.error?.message);
    expect(error.task.toJSON()).toMatchObject({ v: 1, id, idempotencyKey });
  });

  test('a success without a URL, with the record and the task on the error', async () => {
    const record = { id: 'task_1', status: 'completed', image_url: null, result: { outputs: [] } };
    const { fetch, sent } = scripted(submitted, jsonReply(200, record));
    const clock = virtualClock();
    const gateway = clientOf(fetch, { clock });
    const task = await gateway.images.submit(image);
    const error = await rejection(ResponseValidationError, clock.settle(task.wait()));
    expect(error).toMatchObject({ body: record, task: { id: 'task_1' }, meta: { status: 200 } });
    expect(sent).toHaveLength(2);
    await rejection(ResponseValidationError, clock.settle(collect(task.updates())));
  });
});

test('updates() of a failed task ends after the failed update, without throwing', async () => {
  const { gateway, mock } = onMock({ tasks: { outcome: 'failed' } });
  const task = await gateway.images.submit(image);
  const updates = await mock.clock.settle(collect(task.updates()));
  expect(updates.at(-1)).toMatchObject({ status: 'failed', error: { code: 'generation_failed' } });
});

describe('the deadline', () => {
  test('rejects with TaskWaitTimeoutError at waitTimeout, and the task continues', async () => {
    const { gateway, mock } = onMock({ tasks: { durationMs: 20_000 } });
    const since = mock.clock.now();
    const waiting = gateway.images.generate(image, { waitTimeout: 7_000 });
    const error = await rejection(TaskWaitTimeoutError, mock.clock.settle(waiting));
    expect(mock.clock.now() - since).toBe(7_000);
    expect(error).toMatchObject({ name: 'TaskWaitTimeoutError', task: { id: mock.tasks[0]?.id } });
    expect(error.generation).toMatchObject({ status: 'running' });
    expect(await mock.clock.settle(error.task.wait())).toMatchObject({ status: 'succeeded' });
    expect(mock.invoice).toHaveLength(1);
  });

  test('ends a poll that is in flight', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route: poll, stallHeaders: true });
    const task = await gateway.images.submit(image);
    const since = mock.clock.now();
    const waiting = mock.clock.settle(task.wait({ waitTimeout: 9_000 }));
    const error = await rejection(TaskWaitTimeoutError, waiting);
    expect(mock.clock.now() - since).toBe(9_000);
    expect(error.task).toBe(task);
  });

  test('ends an outage', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route: poll, status: 503 });
    const task = await gateway.images.submit(image);
    const since = mock.clock.now();
    await rejection(TaskWaitTimeoutError, mock.clock.settle(task.wait()));
    expect(mock.clock.now() - since).toBe(30 * minutes);
  });

  test('applies to updates() as well', async () => {
    const { gateway, mock } = onMock({ tasks: { durationMs: 20_000 } });
    const task = await gateway.images.submit(image);
    const following = collect(task.updates({ waitTimeout: 5_000 }));
    const error = await rejection(TaskWaitTimeoutError, mock.clock.settle(following));
    expect(error.task).toBe(task);
  });
});

describe('an abort', () => {
  const reason = new Error('the user left');

  test.each([
    ['between two polls', undefined],
    ['during a poll', { route: poll, stallHeaders: true, times: 1 }],
  ])('%s rejects immediately with the task, which continues', async (_, fault) => {
    const { gateway, mock } = onMock();
    if (fault !== undefined) mock.fail(fault);
    const stop = new AbortController();
    const task = await gateway.images.submit(image);
    const waiting = rejection(AbortedError, task.wait({ signal: stop.signal }));
    await mock.clock.advance(fault === undefined ? 1_000 : 3_000);
    const polls = mock.requests.length;
    const since = mock.clock.now();
    stop.abort(reason);
    const error = await waiting;
    expect(mock.clock.now()).toBe(since);
    expect(error).toMatchObject({ name: 'AbortedError', cause: reason, task });
    await mock.clock.advance(minutes);
    expect(mock.requests).toHaveLength(polls);
    expect(await mock.clock.settle(task.wait())).toMatchObject({ status: 'succeeded' });
    expect(mock.requests.map(({ method }) => method)).not.toContain('DELETE');
  });

  test('before the wait sends no request', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit(image);
    await mock.clock.advance(minutes);
    const error = await rejection(AbortedError, task.wait({ signal: AbortSignal.abort(reason) }));
    expect(error).toMatchObject({ cause: reason, task: { id: task.id } });
    expect(mock.requests).toHaveLength(1);
  });

  test('of generate() after the submit request rejects with the task as well', async () => {
    const { gateway, mock } = onMock();
    const stop = new AbortController();
    const onSubmit = () => stop.abort(reason);
    const generated = gateway.images.generate(image, { signal: stop.signal, onSubmit });
    const error = await rejection(AbortedError, generated);
    expect(error).toMatchObject({ cause: reason, task: { id: mock.tasks[0]?.id } });
    expect(mock.invoice).toHaveLength(1);
  });
});

describe('errors in callbacks are logged and do not affect the wait', () => {
  /** Throws synchronously. */
  const throwing = (name: string) => (): unknown => {
    throw new Error(`${name} is broken`);
  };
  /** Returns a promise that rejects. */
  const rejecting = (name: string) => (): unknown => Promise.reject(new Error(`${name} is broken`));

  test.each([
    ['thrown synchronously', throwing],
    ['rejected asynchronously', rejecting],
  ])('if they are %s', async (_, fail) => {
    const error = vi.fn<(message: string) => void>();
    const logger = { error, warn() {}, info() {}, debug() {} };
    const { gateway, mock } = onMock({}, { logger, logLevel: 'error' });
    const options = { onSubmit: fail('onSubmit'), onUpdate: fail('onUpdate') };
    const done = await mock.clock.settle(gateway.images.generate(image, options));
    await turns();
    expect(done.status).toBe('succeeded');
    const lines = error.mock.calls.flat();
    expect(lines).toHaveLength(mock.requests.length);
    expect(lines[0]).toContain('onSubmit is broken');
    expect(lines[1]).toContain('onUpdate is broken');
  });
});

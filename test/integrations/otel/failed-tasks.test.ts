import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { drain } from '../../client/support.ts';
import { failureOf, type } from './failure-of.ts';
import { image, material, observed } from './observed.ts';

const imageSpan = 'generate_image prism-image';
const submit = (gateway: Polygate) => gateway.images.submit(image);
const once = { maxRetries: 0 };

describe('a failed task has its id', () => {
  test('if the response of its submission is invalid', async () => {
    const memory = observed({}, once);
    memory.mock.fail({ route: 'POST /v1/images/tasks', body: {}, handled: true, status: 200 });
    const attributes = await failureOf(memory, submit, imageSpan);
    expect(attributes).toMatchObject(type('ResponseValidationError', 'unknown'));
    expect(attributes['polygate.request_id']).toBe(memory.mock.requests[0]?.requestId);
  });

  test('if only the record is unusable', async () => {
    const memory = observed({}, once);
    const body = { id: 'task_9', status: 'completed' };
    const headers = { 'content-type': 'application/json' };
    memory.mock.fail({ route: 'POST /v1/images/tasks', body, headers, status: 200, handled: true });
    const error = type('ResponseValidationError', 'unknown');
    const attributes = await failureOf(memory, submit, imageSpan);
    expect(attributes).toMatchObject(error);
    expect(attributes['polygate.task_id']).toBe('task_9');
  });

  test('if the task fails, on the wait and on generate', async () => {
    const memory = observed({ tasks: { outcome: 'failed' } });
    const call = (gateway: Polygate) => gateway.images.generate(image);
    const error = type('TaskFailedError');
    const task = { 'polygate.task_id': expect.stringMatching(/^task_/) };
    expect(await failureOf(memory, call, 'generate image')).toMatchObject({ ...error, ...task });
    expect(memory.span('wait image')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { ...error, ...task },
    });
    expect(memory.span(imageSpan).status).toEqual({ code: SpanStatusCode.UNSET });
  });

  test('if it fails during updates, which end without an error', async () => {
    const memory = observed({ tasks: { outcome: 'failed' } });
    const task = await memory.settle(memory.gateway.images.submit(image));
    await memory.settle(drain(task.updates()));
    expect(memory.span('wait image').attributes).toMatchObject(type('TaskFailedError'));
  });

  test('if the wait times out', async () => {
    const memory = observed({ tasks: { durationMs: 60_000 } });
    const call = (gateway: Polygate) => gateway.images.generate(image, { waitTimeout: 5000 });
    const error = type('TaskWaitTimeoutError');
    expect(await failureOf(memory, call, 'generate image')).toMatchObject(error);
    expect(memory.span('wait image')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { ...error, 'polygate.task_id': memory.mock.tasks[0]?.id },
    });
  });

  test('if the wait is aborted', async () => {
    const memory = observed();
    const task = await memory.settle(memory.gateway.images.submit(image));
    const controller = new AbortController();
    void memory.mock.clock.sleep(3000).then(() => controller.abort());
    const call = () => task.wait({ signal: controller.signal });
    const error = { ...type('AbortedError'), 'polygate.task_id': task.id };
    expect(await failureOf(memory, call, 'wait image')).toMatchObject(error);
  });

  test('if it does not exist', async () => {
    const memory = observed();
    const call = (gateway: Polygate) => gateway.images.wait('task_1');
    const error = { ...type('NotFoundError'), 'polygate.task_id': 'task_1' };
    expect(await failureOf(memory, call, 'wait image')).toMatchObject(error);
  });

  test('if generate fails before there is a task', async () => {
    const memory = observed({}, once);
    memory.mock.fail({ status: 402 });
    const call = (gateway: Polygate) => gateway.images.generate(image);
    const error = type('PaymentRequiredError', 'rejected');
    const attributes = await failureOf(memory, call, 'generate image');
    expect(attributes).toMatchObject(error);
    expect(attributes).not.toHaveProperty('polygate.task_id');
    expect(memory.span(imageSpan).attributes).toMatchObject(error);
  });
});

test('a failed material has its error', async () => {
  const memory = observed({ materials: { outcome: 'failed' } });
  const call = (gateway: Polygate) => gateway.materials.register(material);
  expect(await failureOf(memory, call, 'wait material')).toMatchObject(type('MaterialFailedError'));
});

test('a poll that fails is an error of its span, but not of the wait', async () => {
  const memory = observed();
  memory.mock.fail({ route: 'GET /v1/images/tasks/{id}', status: 500, times: 1 });
  await memory.settle(memory.gateway.images.generate(image));
  const failed = memory.spans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
  expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['GET /v1/images/tasks/{id}', 'ServerError'],
  ]);
});

import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { openTelemetry } from 'polygate/otel';
import { describe, expect, test } from 'vitest';

import type { Polygate, SubmittedTask } from '../../src/index.ts';
import { drain } from '../core/support.ts';
import { eventsOf, image, material, music, observed, speech, video } from './observed.ts';

const statuses = ({ span }: ReturnType<typeof observed>, name: string) =>
  eventsOf(span(name), 'polygate.status').map((attributes) => attributes?.['polygate.status']);

describe('a submission is one client span', () => {
  test.each<[string, (gateway: Polygate) => Promise<SubmittedTask>, string]>([
    ['images', ({ images }) => images.submit(image), 'generate_image prism-image'],
    [
      'images at the other route',
      ({ images }) => images.submit(image, { route: 'generations' }),
      'generate_image prism-image',
    ],
    ['videos', ({ videos }) => videos.submit(video), 'generate_video tide-video'],
    [
      'videos at a second route',
      ({ videos }) => videos.submit(video, { route: 'video/generations' }),
      'generate_video tide-video',
    ],
    [
      'videos at a third route',
      ({ videos }) => videos.submit(video, { route: 'videos/generations' }),
      'generate_video tide-video',
    ],
    ['music', ({ audio }) => audio.music.submit(music), 'generate_music anthem-music'],
    ['speech', ({ audio }) => audio.speech.submit(speech), 'generate_speech echo-speech'],
    [
      'a prepared submission',
      ({ images }) => images.submission(image).send(),
      'generate_image prism-image',
    ],
  ])('of %s', async (_, submit, name) => {
    const { gateway, mock, settle, outline, span } = observed();
    const task = await settle(submit(gateway));
    expect(outline()).toEqual([name]);
    expect(span(name)).toMatchObject({
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    });
    const [operation, model] = name.split(' ');
    expect(span(name).attributes).toEqual({
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': 'polygate',
      'gen_ai.request.model': model,
      'gen_ai.response.model': model,
      'server.address': 'mock.polygate.example',
      'server.port': 443,
      'polygate.charge_usd': mock.invoice[0]?.usd,
      'polygate.request_id': mock.requests[0]?.requestId,
      'polygate.task_id': task.id,
      'polygate.replayed': false,
    });
  });

  test('of gateway.fetch, and its polls have the template of their path', async () => {
    const { gateway, mock, settle, outline, span } = observed();
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify(speech);
    const response = await settle(gateway.fetch('/v1/audio/tasks', { ...init, body }));
    const { id } = await response.json();
    await settle(gateway.fetch(`/v1/audio/tasks/${id}`));
    const poll = 'GET /v1/audio/tasks/{id}';
    expect(outline()).toEqual(['generate_speech echo-speech', poll]);
    expect(span('generate_speech echo-speech').attributes['polygate.task_id']).toBe(id);
    expect(mock.invoice.map(({ taskId }) => taskId)).toEqual([id]);
  });

  test('of asResponse, with the task id from the headers', async () => {
    const { gateway, mock, settle, span } = observed();
    await settle(gateway.images.submit(image).asResponse());
    const { attributes } = span('generate_image prism-image');
    expect(attributes['polygate.task_id']).toBe(mock.tasks[0]?.id);
  });
});

describe('generate is an internal span over the submission and the wait', () => {
  test.each<[string, (gateway: Polygate) => Promise<{ id: string }>, string, string]>([
    ['image', ({ images }) => images.generate(image), 'generate_image', '/v1/images/tasks/{id}'],
    ['video', ({ videos }) => videos.generate(video), 'generate_video', '/v1/videos/{id}'],
    ['audio', ({ audio }) => audio.music.generate(music), 'generate_music', '/v1/audio/tasks/{id}'],
    [
      'audio',
      ({ audio }) => audio.speech.generate(speech),
      'generate_speech',
      '/v1/audio/tasks/{id}',
    ],
  ])('of %s', async (kind, generate, operation, path) => {
    const memory = observed();
    const { gateway, settle, outline, span, spans } = memory;
    const { id } = await settle(generate(gateway));
    const model = String(span(`generate ${kind}`).attributes['gen_ai.request.model']);
    expect(outline()).toEqual([
      `generate ${kind}`,
      `  ${operation} ${model}`,
      `  wait ${kind}`,
      `    GET ${path}`,
    ]);
    const shared = {
      'gen_ai.provider.name': 'polygate',
      'gen_ai.request.model': model,
      'polygate.task_id': id,
    };
    for (const name of [`generate ${kind}`, `wait ${kind}`]) {
      expect(span(name)).toMatchObject({
        kind: SpanKind.INTERNAL,
        status: { code: SpanStatusCode.UNSET },
      });
      expect(span(name).attributes).toEqual(shared);
    }
    expect(statuses(memory, `wait ${kind}`)).toEqual(['running', 'succeeded']);
    expect(new Set(spans().map((each) => each.spanContext().traceId)).size).toBe(1);
    const submit = span(`${operation} ${model}`).spanContext();
    expect(span(`wait ${kind}`).links.map(({ context }) => context)).toEqual([submit]);
  });

  test('each poll is a client span with the request id of its response', async () => {
    const { gateway, mock, settle, spans } = observed();
    await settle(gateway.images.generate(image));
    const polls = spans().filter(({ name }) => name.startsWith('GET '));
    const ids = mock.requests.slice(1).map(({ requestId }) => requestId);
    expect(polls.length).toBeGreaterThan(2);
    expect(polls.map(({ attributes }) => attributes['polygate.request_id'])).toEqual(ids);
    expect(new Set(polls.map(({ kind }) => kind))).toEqual(new Set([SpanKind.CLIENT]));
  });
});

describe('a wait is an internal span over its polls', () => {
  const poll = '  GET /v1/images/tasks/{id}';

  test('with task.wait, linked to the submission', async () => {
    const memory = observed();
    const { gateway, settle, outline, span } = memory;
    const task = await settle(gateway.images.submit(image));
    await settle(task.wait());
    expect(outline()).toEqual(['generate_image prism-image', 'wait image', poll]);
    const submit = span('generate_image prism-image').spanContext();
    expect(span('wait image').links.map(({ context }) => context)).toEqual([submit]);
    expect(statuses(memory, 'wait image')).toEqual(['running', 'succeeded']);
  });

  test('with updates', async () => {
    const memory = observed();
    const { gateway, settle, outline, span } = memory;
    const task = await settle(gateway.images.submit(image));
    await settle(drain(task.updates()));
    expect(outline()).toEqual(['generate_image prism-image', 'wait image', poll]);
    expect(statuses(memory, 'wait image')).toEqual(['running', 'succeeded']);
    expect(span('wait image').attributes['gen_ai.request.model']).toBe('prism-image');
  });

  test('with updates that are left early, which is no error', async () => {
    const memory = observed();
    const { gateway, settle, span } = memory;
    const task = await settle(gateway.images.submit(image));
    const left = async () => {
      for await (const update of task.updates()) if (update) break;
    };
    await settle(left());
    expect(statuses(memory, 'wait image')).toEqual(['running']);
    expect(span('wait image')).toMatchObject({ status: { code: SpanStatusCode.UNSET } });
    expect(span('wait image').attributes).not.toHaveProperty('error.type');
  });

  test('with updates that are never read, is not started', async () => {
    const { gateway, settle, outline } = observed();
    const task = await settle(gateway.images.submit(image));
    task.updates();
    expect(outline()).toEqual(['generate_image prism-image']);
  });

  test('of a task that is known to be finished, without polls', async () => {
    const memory = observed();
    const { gateway, settle, spans } = memory;
    const task = await settle(gateway.images.submit(image));
    await settle(task.wait());
    const { length } = spans();
    await settle(task.wait());
    const [again, ...others] = spans().slice(length);
    expect([again?.name, others]).toEqual(['wait image', []]);
    expect(again && eventsOf(again, 'polygate.status')).toEqual([
      { 'polygate.status': 'succeeded' },
    ]);
  });

  test('with the wait of a namespace, and of a receipt in the same process', async () => {
    const { gateway, settle, outline, spans } = observed();
    const task = await settle(gateway.images.submit(image));
    await settle(gateway.images.wait(task.id));
    await settle(gateway.resume(task.toJSON()).wait());
    expect(outline()).toEqual(['generate_image prism-image', 'wait image', poll]);
    const [submit, ...others] = spans();
    const waits = others.filter(({ name }) => name === 'wait image');
    const linked = waits.map(({ links }) => links.map(({ context }) => context));
    expect(linked).toEqual([[submit?.spanContext()], [submit?.spanContext()]]);
  });

  test('without a link if another process, and so another telemetry, has submitted the task', async () => {
    const { gateway, settle, tracerProvider, spans } = observed();
    const task = await settle(gateway.images.submit(image));
    const other = gateway.withOptions({ telemetry: openTelemetry({ tracerProvider }) });
    await settle(other.resume(task.toJSON()).wait());
    expect(spans().at(-1)).toMatchObject({ name: 'wait image', links: [] });
  });

  test('of a material, with register', async () => {
    const memory = observed();
    const { gateway, settle, outline, span } = memory;
    await settle(gateway.materials.register(material));
    expect(outline()).toEqual([
      'POST /v1/materials',
      'wait material',
      '  GET /v1/materials/{material_id}',
    ]);
    expect(statuses(memory, 'wait material')).toEqual(['processing', 'available']);
    expect(span('wait material').kind).toBe(SpanKind.INTERNAL);
    expect(span('wait material').attributes).toEqual({ 'gen_ai.provider.name': 'polygate' });
    expect(span('POST /v1/materials').attributes).not.toHaveProperty('polygate.task_id');
  });

  test('of a material, with materials.wait', async () => {
    const memory = observed();
    const { gateway, settle, outline } = memory;
    const { id } = await settle(gateway.materials.create(material));
    await settle(gateway.materials.wait(id));
    expect(outline()).toEqual([
      'POST /v1/materials',
      'wait material',
      '  GET /v1/materials/{material_id}',
    ]);
    expect(statuses(memory, 'wait material')).toEqual(['processing', 'available']);
  });
});

test('each row of a batch is a submission and a wait', async () => {
  const { gateway, settle, outline, spans } = observed({
    clock: 'system',
    tasks: { durationMs: 1 },
  });
  const rows = gateway.batch(
    ['A', 'B'],
    (prompt) => gateway.images.submission({ ...image, prompt }),
    {
      pollInterval: 1,
    },
  );
  await settle(drain(rows));
  expect(
    outline()
      .toSorted()
      .filter((line, index, lines) => line !== lines[index - 1]),
  ).toEqual(['  GET /v1/images/tasks/{id}', 'generate_image prism-image', 'wait image']);
  const submits = spans().filter(({ name }) => name.startsWith('generate_image'));
  const links = spans().flatMap((span) => span.links.map(({ context }) => context.spanId));
  expect(new Set(links)).toEqual(new Set(submits.map((span) => span.spanContext().spanId)));
  expect(submits).toHaveLength(2);
});

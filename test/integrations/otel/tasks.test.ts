import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';

import type { Polygate, SubmittedTask } from '../../../src/index.ts';
import { image, music, observed, speech, statusesOf, video } from './observed.ts';

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

  test('of asResponse of generate, which does not wait', async () => {
    const { gateway, settle, outline } = observed();
    await settle(gateway.images.generate(image).asResponse());
    expect(outline()).toEqual(['generate_image prism-image']);
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
    expect(statusesOf(span(`wait ${kind}`))).toEqual(['running', 'succeeded']);
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

import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';

import { allCalls } from '../../support/calls.ts';
import { image, observed } from './observed.ts';

const inferences = /POST \/v1\/(chat|images|videos?|audio\/tasks)/;

describe('every other call is a client span', () => {
  test.each(allCalls.filter(({ route }) => !inferences.test(route)))(
    'named $route',
    async ({ route, call }) => {
      const { gateway, mock, settle, outline, span } = observed();
      const settled = await settle(Promise.allSettled([call(gateway)]));
      const name = route.replace('taskId', 'id').replace('task_id', 'id');
      expect(outline()).toEqual([name]);
      const { requestId } = mock.requests[0] ?? {};
      expect(span(name).kind).toBe(SpanKind.CLIENT);
      expect(span(name).attributes).toMatchObject({
        'gen_ai.provider.name': 'polygate',
        'server.address': 'mock.polygate.example',
        'server.port': 443,
        'polygate.request_id': requestId,
        'polygate.replayed': false,
      });
      expect(span(name).attributes).not.toHaveProperty('gen_ai.operation.name');
      const isRejected = settled[0]?.status === 'rejected';
      expect(span(name).status.code).toBe(isRejected ? SpanStatusCode.ERROR : SpanStatusCode.UNSET);
    },
  );

  test.each([
    ['GET', '/v1/models/aurora-chat', '/v1/models/{model}'],
    ['GET', '/v1/models/lumen/vision-chat', '/v1/models/{model}'],
    ['GET', '/v1/errors/rate_limited', '/v1/errors/{code}'],
    ['DELETE', '/v1/materials/mat_1', '/v1/materials/{material_id}'],
    ['GET', '/v1/videos/task_1', '/v1/videos/{id}'],
    ['GET', '/v1/images/tasks/task_1', '/v1/images/tasks/{id}'],
    ['GET', '/v1/images/generations/task_1', '/v1/images/generations/{id}'],
    ['GET', '/v1/account?verbose=1', '/v1/account'],
  ])(
    'of gateway.fetch, named after the template of its path: %s %s',
    async (method, path, template) => {
      const { gateway, settle, outline } = observed();
      await settle(gateway.fetch(path, { method }));
      expect(outline()).toEqual([`${method} ${template}`]);
    },
  );

  test.each(['/v1/responses', '/v1/rerank'])(
    'of gateway.fetch of an undocumented route, named after its path: POST %s',
    async (path) => {
      const { gateway, settle, outline, span } = observed();
      await settle(gateway.fetch(path, { method: 'POST', body: '{}' }));
      expect(outline()).toEqual([`POST ${path}`]);
      expect(span(`POST ${path}`).attributes).not.toHaveProperty('gen_ai.request.stream');
    },
  );

  test('of a poll with retrieve, which belongs to no wait', async () => {
    const { gateway, settle, outline } = observed();
    const task = await settle(gateway.images.submit(image));
    await settle(task.retrieve());
    await settle(gateway.images.retrieve(task.id));
    expect(outline()).toEqual(['generate_image prism-image', 'GET /v1/images/tasks/{id}']);
  });

  test('even if the model id has a slash', async () => {
    const { gateway, settle, outline } = observed();
    await settle(gateway.models.retrieve('lumen/vision-chat'));
    expect(outline()).toEqual(['GET /v1/models/{model}']);
  });

  test('but a download of a result, from another server, has none', async () => {
    const { gateway, settle, outline } = observed();
    const generation = await settle(gateway.images.generate(image));
    const before = outline();
    await settle(gateway.download(generation).then((response) => response.arrayBuffer()));
    expect(outline()).toEqual(before);
  });
});

test('a call that is rejected before it starts has no span', async () => {
  const { gateway, settle, outline } = observed();
  const invalid = Object.fromEntries([['model', 'aurora-chat']]);
  await settle(
    Promise.allSettled([
      gateway.models.retrieve('..'),
      gateway.images.retrieve(''),
      Reflect.apply(gateway.chat.completions.create, gateway.chat.completions, [invalid]),
      gateway.fetch('https://elsewhere.example/v1/models'),
    ]),
  );
  expect(outline()).toEqual([]);
});

import ky from 'ky';
import { describe, expect, test } from 'vitest';

import type { Hooks, Polygate, PolygateOptions } from '../../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  completed,
  completion,
  errorReply,
  image,
  jsonReply,
  modelList,
  scripted,
  submitted,
} from '../support.ts';
import type { Reply } from '../support.ts';

type AfterResponse = NonNullable<Hooks['afterResponse']>[number];

/** A client with these hooks whose requests get these replies. */
function clientWith(
  replies: readonly [Reply, ...Reply[]],
  afterResponse: AfterResponse[],
  options: PolygateOptions = {},
) {
  const { fetch, sent } = scripted(...replies);
  const gateway = clientOf(fetch, { ...options, hooks: { afterResponse }, random: () => 0 });
  return { gateway, sent };
}

const charged = { 'x-svc-charge-usd': '0.25', 'x-request-id': 'r1', 'x-svc-task-id': 'task_1' };
const create = (gateway: Polygate) => gateway.chat.completions.create(chat);

describe('an afterResponse hook', () => {
  test('sees the response to each attempt, with its number and its request', async () => {
    const seen: unknown[] = [];
    const { gateway } = clientWith(
      [errorReply(503), errorReply(429), errorReply(429, 'concurrency_limit_exceeded'), completed],
      [
        ({ request, response, retryCount }) => {
          seen.push([request.method, new URL(request.url).pathname, response.status, retryCount]);
        },
      ],
    );
    await create(gateway);
    expect(seen).toEqual([
      ['POST', '/v1/chat/completions', 503, 0],
      ['POST', '/v1/chat/completions', 429, 1],
      ['POST', '/v1/chat/completions', 429, 2],
      ['POST', '/v1/chat/completions', 200, 3],
    ]);
  });

  test('is awaited, in order, before the call resolves', async () => {
    const order: string[] = [];
    const after =
      (name: string, ms: number): AfterResponse =>
      async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        order.push(name);
      };
    const { gateway } = clientWith([completed], [after('slow', 20), after('fast', 0)]);
    await create(gateway);
    expect(order).toEqual(['slow', 'fast']);
  });

  test.each<[string, AfterResponse]>([
    ['reads the body', async ({ response }) => void (await response.json())],
    ['reads the body later', ({ response }) => void response.json()],
    [
      'reads the body and returns the response',
      async ({ response }) => {
        await response.text();
        return response;
      },
    ],
    ['returns the response unread', ({ response }) => response],
    [
      'reads a part of the body',
      async ({ response }) => {
        await response.body?.getReader().read();
      },
    ],
    ['cancels the body', ({ response }) => void response.body?.cancel()],
    ['copies the response', ({ response }) => void response.clone()],
  ])('that %s does not disturb the client', async (_, hook) => {
    for (const hooks of [[hook], [hook, hook, hook]]) {
      const { gateway } = clientWith([jsonReply(200, completion, charged)], hooks);
      expect(await create(gateway)).toEqual(completion);
      const { gateway: failing } = clientWith([errorReply(400, 'invalid_model')], hooks);
      expect(await caught(create(failing))).toMatchObject({ status: 400, code: 'invalid_model' });
    }
  });

  test('can read the body of an error response', async () => {
    const bodies: unknown[] = [];
    const { gateway } = clientWith(
      [errorReply(404, 'model_not_found')],
      [async ({ response }) => void bodies.push(await response.json())],
    );
    expect(await caught(create(gateway))).toMatchObject({ code: 'model_not_found' });
    expect(bodies).toMatchObject([{ error: { code: 'model_not_found' } }]);
  });
});

describe('a Response that an afterResponse hook returns', () => {
  const replaced = { ...completion, id: 'replaced' };

  test('replaces the body, but neither the status nor the facts of the service', async () => {
    const { gateway } = clientWith(
      [jsonReply(200, completion, charged)],
      [
        () =>
          Response.json(replaced, {
            status: 402,
            headers: { 'x-svc-charge-usd': '99', 'x-request-id': 'forged' },
          }),
      ],
    );
    const { data, meta } = await create(gateway).withResponse();
    expect(data).toEqual(replaced);
    expect(meta).toMatchObject({ status: 200, chargeUsd: 0.25, requestId: 'r1', taskId: 'task_1' });
    expect(gateway.spend.totalUsd).toBe(0.25);
  });

  test('is ignored if the service may not send a body, as with a 204', async () => {
    const { gateway, sent } = clientWith(
      [() => new Response(null, { status: 204 })],
      [() => Response.json({})],
    );
    const call = gateway.request({ method: 'DELETE', path: '/v1/things/1' });
    expect((await call.asResponse()).status).toBe(204);
    expect(sent).toHaveLength(1);
  });

  test('is seen by the next hook', async () => {
    const add =
      (name: string): AfterResponse =>
      async ({ response }) => {
        const body: typeof completion = await response.json();
        return Response.json({ ...body, id: body.id + name });
      };
    const { gateway } = clientWith([completed], [add('-a'), () => undefined, add('-b')]);
    expect(await create(gateway)).toEqual({ ...completion, id: 'c1-a-b' });
  });

  test('may have the body of the copy', async () => {
    const { gateway } = clientWith(
      [completed],
      [({ response }) => new Response(response.body, response), ({ response }) => response.clone()],
    );
    expect(await create(gateway)).toEqual(completion);
  });

  test('is what asResponse() resolves with', async () => {
    const { gateway } = clientWith([modelList], [() => new Response('replaced')]);
    expect(await (await gateway.models.list().asResponse()).text()).toBe('replaced');
  });

  test.each([
    ['a chat', 500, 1, create],
    ['a chat', 400, 1, create],
    ['a chat', 503, 4, create],
    ['a submit', 500, 4, (gateway: Polygate) => gateway.images.submit(image)],
    ['a submit', 402, 1, (gateway: Polygate) => gateway.images.submit(image)],
  ] as const)(
    'does not change whether %s with status %d is retried',
    async (_, status, count, call) => {
      for (const claimed of [200, 400, 429, 500, 503]) {
        const { gateway, sent } = clientWith(
          [errorReply(status)],
          [() => Response.json(completion, { status: claimed })],
        );
        expect(await caught(call(gateway))).toMatchObject({ status });
        expect(sent).toHaveLength(count);
      }
    },
  );

  test.each([429, 500, 503])('with status %d does not cause a retry', async (status) => {
    const { gateway, sent } = clientWith(
      [jsonReply(200, completion, charged)],
      [() => Response.json(completion, { status, headers: { 'retry-after': '1' } })],
    );
    expect(await create(gateway)).toEqual(completion);
    expect(sent).toHaveLength(1);
  });

  test('does not change the delay that the service requested', async () => {
    const { gateway } = clientWith(
      [errorReply(503, undefined, { 'retry-after': '3600' })],
      [() => new Response('{}', { status: 503, headers: { 'retry-after': '0' } })],
    );
    expect(await caught(create(gateway))).toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
  });

  test.each([
    ['alone', []],
    ['before another hook', [() => undefined]],
  ])('fails with HookError if the hook has read it: %s', async (_, others) => {
    const { gateway, sent } = clientWith(
      [jsonReply(202, { id: 'task_1', status: 'queued' }, charged)],
      [
        async () => {
          const own = new Response('{}');
          await own.text();
          return own;
        },
        ...others,
      ],
    );
    const error = await caught(gateway.images.submit(image));
    expect(error).toMatchObject({ name: 'HookError', outcome: 'unknown', task: { id: 'task_1' } });
    expect(error.message).toContain('returned a response whose body has already been read');
    expect(sent).toHaveLength(1);
    expect(gateway.spend.totalUsd).toBe(0.25);
  });
});

describe('ky.retry()', () => {
  test.each([
    ['a chat', create],
    ['a submit', (gateway: Polygate) => gateway.images.submit(image)],
    ['a list', (gateway: Polygate) => gateway.models.list()],
  ])('of %s fails with HookError, and sends nothing again', async (_, call) => {
    for (const marker of [
      ky.retry(),
      ky.retry({ delay: 0 }),
      ky.retry({ request: new Request('https://elsewhere.example', { method: 'POST' }) }),
    ]) {
      const { gateway, sent } = clientWith([submitted], [() => marker]);
      const error = await caught(call(gateway));
      expect(error.name).toBe('HookError');
      expect(error.message).toContain('only the client retries');
      expect(error.cause).toBeUndefined();
      expect(sent).toHaveLength(1);
    }
  });
});

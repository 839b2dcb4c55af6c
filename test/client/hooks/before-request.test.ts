import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../src/index.ts';
import type { Polygate } from '../../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  completed,
  errorReply,
  image,
  modelList,
  submitted,
} from '../support.ts';
import { clientWith } from './support.ts';
import type { BeforeRequest } from './support.ts';

const names = ['x-idempotency-key', 'idempotency-key'];
const material = { url: 'https://files.example/a.png', type: 'image' as const };
const headerHook: BeforeRequest = ({ request }) => request.headers.set('x-tenant', 'ann');

describe('a beforeRequest hook', () => {
  test('sees the request as it will be sent, and its headers reach the service', async () => {
    const seen: unknown[] = [];
    const { gateway, sent } = clientWith(completed, headerHook, async ({ request, retryCount }) => {
      const body: unknown = await request.clone().json();
      const authorization = request.headers.get('authorization');
      seen.push([request.method, request.url, body, authorization, retryCount]);
    });
    await gateway.chat.completions.create(chat);
    const url = 'https://gateway.example/v1/chat/completions';
    expect(seen).toEqual([['POST', url, chat, 'Bearer sk-test', 0]]);
    expect(sent).toMatchObject([{ url, method: 'POST', body: JSON.stringify(chat) }]);
    expect(sent[0]?.headers.get('x-tenant')).toBe('ann');
    expect(sent[0]?.headers.get('content-type')).toBe('application/json');
  });

  test('is awaited, in order, before anything is sent', async () => {
    const order: unknown[] = [];
    const after =
      (name: string, ms: number): BeforeRequest =>
      async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        order.push([name, sent.length]);
      };
    const { gateway, sent } = clientWith(completed, after('slow', 20), after('fast', 0));
    await gateway.chat.completions.create(chat);
    expect(order).toEqual([
      ['slow', 0],
      ['fast', 0],
    ]);
    expect(sent).toHaveLength(1);
  });

  test('can remove headers, except for the idempotency key', async () => {
    const { gateway, sent } = clientWith(submitted, ({ request }) => {
      request.headers.delete('authorization');
    });
    await gateway.images.submit(image);
    expect(sent[0]?.headers.has('authorization')).toBe(false);
    expect(sent[0]?.headers.has('x-idempotency-key')).toBe(true);
  });

  test('that throws away its result changes nothing', async () => {
    const results: unknown[] = [1, 'text', null, { url: 'https://elsewhere.example' }];
    const hooks = results.map((result) => Object.assign(() => undefined, { result }));
    const { gateway, sent } = clientWith(
      completed,
      ...hooks.map((hook) => () => Reflect.get(hook, 'result') as undefined),
    );
    expect(await gateway.chat.completions.create(chat)).toMatchObject({ id: 'c1' });
    expect(sent[0]?.url).toBe('https://gateway.example/v1/chat/completions');
  });
});

describe('a Request that a beforeRequest hook returns', () => {
  test('is sent if it has the same origin, and later hooks see it', async () => {
    const seen: string[] = [];
    const redirect: BeforeRequest = ({ request }) => {
      const url = new URL(request.url);
      url.searchParams.set('region', 'eu');
      return new Request(url, request);
    };
    const { gateway, sent } = clientWith(completed, redirect, ({ request }) => {
      seen.push(request.url);
    });
    await gateway.chat.completions.create(chat);
    const url = 'https://gateway.example/v1/chat/completions?region=eu';
    expect(seen).toEqual([url]);
    expect(sent).toMatchObject([{ url, method: 'POST', body: JSON.stringify(chat) }]);
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer sk-test');
  });

  test('may have another path', async () => {
    const { gateway, sent } = clientWith(modelList, () => {
      return new Request('https://gateway.example/v2/models', { headers: { 'x-new': '1' } });
    });
    await gateway.models.list();
    expect(sent).toMatchObject([{ url: 'https://gateway.example/v2/models', method: 'GET' }]);
  });

  test.each([
    ['host', 'https://elsewhere.example/v1/models'],
    ['subdomain', 'https://eu.gateway.example/v1/models'],
    ['port', 'https://gateway.example:8443/v1/models'],
    ['scheme', 'http://gateway.example/v1/models'],
  ])('is not sent if it has another %s', async (_, url) => {
    for (const call of [
      (gateway: Polygate) => gateway.models.list(),
      (gateway: Polygate) => gateway.images.submit(image),
      (gateway: Polygate) => gateway.chat.completions.create(chat),
      (gateway: Polygate) => gateway.public.status(),
    ]) {
      const { gateway, sent } = clientWith(modelList, ({ request }) => new Request(url, request));
      const error = await caught(call(gateway));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ outcome: 'not-sent' });
      expect(error.message).toContain('hooks.beforeRequest must not change the origin.');
      expect(sent).toEqual([]);
    }
  });

  test('is sent with the options of every request of the client', async () => {
    const received: Request[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      received.push(new Request(input, init));
      return Response.json({ object: 'list', data: [] });
    };
    const beforeRequest: BeforeRequest[] = [
      ({ request }) => new Request(request.url, { redirect: 'follow', cache: 'force-cache' }),
    ];
    const controller = new AbortController();
    const { signal } = controller;
    await clientOf(fetch, { hooks: { beforeRequest } }).models.list({}, { signal });
    expect(received).toMatchObject([{ redirect: 'manual', cache: 'no-store' }]);
  });

  test('is aborted with the call', async () => {
    const controller = new AbortController();
    let aborted: unknown;
    const fetch: typeof globalThis.fetch = (input, init) =>
      new Promise((_, reject) => {
        const { signal } = new Request(input, init);
        signal.addEventListener('abort', () => {
          aborted = signal.reason;
          reject(new Error('aborted'));
        });
        controller.abort();
      });
    const beforeRequest: BeforeRequest[] = [({ request }) => new Request(request.url)];
    const { signal } = controller;
    const call = clientOf(fetch, { hooks: { beforeRequest } }).models.list({}, { signal });
    expect(await caught(call)).toMatchObject({ name: 'AbortedError', outcome: 'unknown' });
    await expect.poll(() => aborted).toBeDefined();
  });
});

describe('the idempotency key', () => {
  const changes: Readonly<Record<string, BeforeRequest>> = {
    'a changed key': ({ request }) => {
      for (const name of names) if (request.headers.has(name)) request.headers.set(name, 'other');
    },
    'a removed key': ({ request }) => {
      for (const name of names) request.headers.delete(name);
    },
    'an added value': ({ request }) => {
      for (const name of names) request.headers.append(name, 'other');
    },
    'a Request without the headers': ({ request }) =>
      new Request(request.url, { method: 'POST', body: '{}' }),
  };

  test.each(
    Object.entries(changes).flatMap(([change, hook]) => [
      [change, 'a submit', hook, (gateway: Polygate) => gateway.images.submit(image)] as const,
      [
        change,
        'a material',
        hook,
        (gateway: Polygate) => gateway.materials.create(material),
      ] as const,
    ]),
  )('%s of %s: nothing is sent', async (_, __, hook, call) => {
    const { gateway, sent } = clientWith(submitted, hook);
    const error = await caught(call(gateway));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: 'not-sent', idempotencyKey: expect.any(String) });
    expect(error.message).toMatch(
      /hooks\.beforeRequest must not change or remove (x-)?idempotency-key/,
    );
    expect(sent).toEqual([]);
  });

  test('may be added to a request that has none', async () => {
    const { gateway, sent } = clientWith(completed, ({ request }) =>
      request.headers.set('x-idempotency-key', 'mine'),
    );
    await gateway.chat.completions.create(chat);
    expect(sent).toHaveLength(1);
  });

  test('after an earlier attempt with an unknown outcome, the outcome stays unknown', async () => {
    let attempts = 0;
    const { gateway, sent } = clientWith(errorReply(500), ({ request }) => {
      attempts += 1;
      if (attempts > 1) request.headers.set('x-idempotency-key', `key-${attempts}`);
    });
    const error = await caught(gateway.images.submit(image));
    expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'unknown' });
    expect(error.message).toContain('Retry with error.idempotencyKey');
    expect(sent).toHaveLength(1);
  });
});

test('a hook that reads the body of the request, without a clone, sends nothing', async () => {
  const calls = [
    (gateway: Polygate) => gateway.images.submit(image),
    (gateway: Polygate) => gateway.chat.completions.create(chat),
  ];
  for (const call of calls) {
    let runs = 0;
    const { gateway, sent } = clientWith(completed, async ({ request }) => {
      runs += 1;
      await request.text();
    });
    const error = await caught(call(gateway));
    expect(error).toMatchObject({ name: 'HookError', outcome: 'not-sent' });
    expect(error.message).toContain('hooks.beforeRequest has read the body of the request');
    expect([runs, sent]).toEqual([1, []]);
  }
});

test('a hook that locks the body of the request ends the call before it is sent', async () => {
  const { gateway, sent } = clientWith(completed, ({ request }) => {
    request.body?.getReader();
  });
  const error = await caught(gateway.chat.completions.create(chat));
  expect(error).toMatchObject({ name: 'HookError', outcome: 'not-sent' });
  expect(sent).toEqual([]);
});

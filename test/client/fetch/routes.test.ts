import { describe, expect, test } from 'vitest';

import type { Telemetry } from '../../../src/index.ts';
import { allCalls, authenticatedCalls } from '../../support/calls.ts';
import { errorReply, jsonReply, reset, textReply, unreachable } from '../support.ts';
import type { Reply, SentRequest } from '../support.ts';
import { post, scriptedClient } from './support.ts';

const keyHeaders = ['x-idempotency-key', 'idempotency-key'];

/** Everything that is sent, with a placeholder for the value of a key. */
function describeRequest({ method, url, headers, body, redirect }: SentRequest) {
  const entries = Array.from(headers, ([name, value]) => [
    name,
    keyHeaders.includes(name) ? 'a key' : value,
  ]);
  return { method, url, headers: Object.fromEntries(entries), body, redirect };
}

type Call = (typeof allCalls)[number]['call'];

/** The request of a method, as any other library would make it. */
async function requestOf(call: Call): Promise<[path: string, init: RequestInit]> {
  const { gateway, sent } = scriptedClient([jsonReply(200, {})], { maxRetries: 0 });
  await call(gateway).catch(() => undefined);
  const { method, url, body } = sent[0] ?? { method: '', url: '', body: undefined };
  const { pathname, search } = new URL(url);
  const headers = { 'content-type': 'application/json' };
  return [pathname + search, body === undefined ? { method } : { method, body, headers }];
}

/** What a client does when it sends through its method, or through its `fetch`. */
async function observe(send: (gateway: Parameters<Call>[0]) => Promise<unknown>, reply: Reply) {
  const inFlight: number[] = [];
  const observed: Reply = (request) => {
    inFlight.push(gateway.concurrency.inFlight);
    return reply(request);
  };
  const { gateway, sent, settle } = scriptedClient([observed]);
  await settle(send(gateway).catch(() => undefined));
  const keys = keyHeaders.map((name) => new Set(sent.map(({ headers }) => headers.get(name))));
  return {
    requests: sent.map(describeRequest),
    keys: keys.map(({ size }) => size),
    inFlight,
    after: gateway.concurrency.inFlight,
    spend: { ...gateway.spend, byModel: Object.fromEntries(gateway.spend.byModel) },
  };
}

const charge = { 'x-svc-charge-usd': '0.25' };
const cutBody: Reply = () => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new TypeError('terminated')),
  });
  return new Response(body, { headers: charge });
};
const replies: Readonly<Record<string, Reply>> = {
  'a success': jsonReply(200, { id: 'task_1', status: 'queued' }, charge),
  'a 402': errorReply(402),
  'a 408': errorReply(408),
  'a 409': errorReply(409, 'material_idempotency_conflict'),
  'a 429': errorReply(429),
  'a 500': errorReply(500, undefined, charge),
  'a 502': errorReply(502),
  'a 503': errorReply(503),
  'a 429 whose retry-after is too long': errorReply(429, undefined, { 'retry-after': '4000' }),
  'a 302': () => new Response(null, { status: 302, headers: { location: '/v1/models' } }),
  'a refused connection': unreachable,
  'a reset': reset,
  'a body that breaks off': cutBody,
  'a body that is cut off JSON': textReply(200, '{"id":"tas', 'application/json'),
};

describe.each(Object.entries(replies))('after %s', (_, reply) => {
  test.each(allCalls)('$route is sent as its method sends it', async ({ call }) => {
    const [path, init] = await requestOf(call);
    const [byMethod, byFetch] = await Promise.all([
      observe(call, reply),
      observe((gateway) => gateway.fetch(path, init), reply),
    ]);
    expect(byFetch).toEqual(byMethod);
    expect(byFetch.requests.length).toBeGreaterThan(0);
  });
});

test.each(allCalls)('$route has the path template that its method has', async ({ call }) => {
  const [path, init] = await requestOf(call);
  const templates: string[] = [];
  const telemetry: Telemetry = {
    startSpan(operation) {
      if (operation.type === 'call') templates.push(`${operation.method} ${operation.template}`);
      return undefined;
    },
  };
  const { gateway, settle } = scriptedClient([jsonReply(200, {})], { telemetry });
  await settle(call(gateway).catch(() => undefined));
  await settle(gateway.fetch(path, init));
  expect(templates).toHaveLength(2);
  expect(templates[1]).toBe(templates[0]);
});

test('a concurrency 429 makes every route with a slot wait for one, as its method does', async () => {
  const waiting: string[] = [];
  for (const { route, call } of authenticatedCalls) {
    const [path, init] = await requestOf(call);
    const outcomes = await Promise.all(
      [call, (gateway: Parameters<Call>[0]) => gateway.fetch(path, init)].map((send) => {
        let rejections = 6;
        return observe(send, (request) => {
          rejections -= 1;
          const reply =
            rejections < 0
              ? jsonReply(200, { id: 'task_1' })
              : errorReply(429, 'concurrency_limit_exceeded');
          return reply(request);
        });
      }),
    );
    expect(outcomes[1]).toEqual(outcomes[0]);
    if (outcomes[0]?.requests.length === 7) waiting.push(route);
  }
  const posts = authenticatedCalls.filter(({ route }) => route.startsWith('POST'));
  const withSlot = posts.filter(({ route }) => route !== 'POST /v1/materials');
  expect(waiting).toEqual(withSlot.map(({ route }) => route));
});

describe('a streamed chat', () => {
  test('accepts an event stream, as its method does, unless the caller says otherwise', async () => {
    const { gateway, sent } = scriptedClient([jsonReply(200, {})]);
    const init = post({ model: 'm', messages: [], stream: true });
    await gateway.fetch('/v1/chat/completions', init);
    await gateway.fetch(
      '/v1/chat/completions',
      post({ stream: true }, { accept: 'application/json' }),
    );
    const accepted = sent.map(({ headers }) => headers.get('accept'));
    expect(accepted).toEqual(['text/event-stream', 'application/json']);
  });
});

describe('idempotency keys', () => {
  const keyed = authenticatedCalls.filter(({ route }) => /POST/.test(route));

  test.each(keyed)('$route keeps a key in either header', async ({ call, route }) => {
    const [path, init] = await requestOf(call);
    const { gateway, sent } = scriptedClient([jsonReply(200, { id: 'task_1' })]);
    for (const name of ['X-Idempotency-Key', 'Idempotency-Key']) {
      const headers = { 'content-type': 'application/json', [name]: 'my-key' };
      await gateway.fetch(path, { ...init, headers });
      await gateway.fetch(new Request(gateway.baseURL + path, { ...init, headers }));
    }
    const expected = route === 'POST /v1/materials' ? [null, 'my-key'] : ['my-key', null];
    expect(sent).toHaveLength(4);
    for (const { headers } of sent) {
      expect(keyHeaders.map((name) => headers.get(name))).toEqual(expected);
    }
  });

  test('are new for each submission, and the same for its retries', async () => {
    const { gateway, sent, settle } = scriptedClient([
      errorReply(502),
      reset,
      jsonReply(202, { id: 'task_1' }),
    ]);
    const init = post({ model: 'prism-image', prompt: 'A harbor' });
    await settle(gateway.fetch('/v1/images/tasks', init));
    await settle(gateway.fetch('/v1/images/tasks', init));
    const keys = sent.map(({ headers }) => headers.get('x-idempotency-key'));
    expect(keys).toHaveLength(4);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(new Set(keys).size).toBe(2);
    expect(keys[0]).toMatch(/^[\da-f]{32}$/);
  });

  test('are added to a chat and a voice that retryAmbiguous allows to repeat', async () => {
    const { gateway, sent, settle } = scriptedClient([errorReply(502)], {
      retryAmbiguous: { chat: true, voices: true },
    });
    for (const path of ['/v1/chat/completions', '/v1/audio/voices/design']) {
      sent.length = 0;
      await settle(gateway.fetch(path, post({})));
      expect(sent).toHaveLength(4);
      expect(new Set(sent.map(({ headers }) => headers.get('x-idempotency-key'))).size).toBe(1);
      expect(sent[0]?.headers.get('x-idempotency-key')).toMatch(/^[\da-f]{32}$/);
    }
  });

  test('are not added to a chat, or to an unknown route', async () => {
    const { gateway, sent } = scriptedClient([jsonReply(200, {})]);
    await gateway.fetch('/v1/chat/completions', post({ model: 'm', messages: [] }));
    await gateway.fetch('/v1/images/edits', post({}));
    await gateway.fetch('/v1/images/edits', post({}, { 'idempotency-key': 'mine' }));
    expect(
      sent.map(({ headers }) => [headers.get(keyHeaders[0] ?? ''), headers.get('idempotency-key')]),
    ).toEqual([
      [null, null],
      [null, null],
      [null, 'mine'],
    ]);
  });
});

describe('an unknown route', () => {
  const failures = [errorReply(500), errorReply(502), errorReply(504), reset] as const;
  test.each(failures)('is sent once if it is a POST (%#)', async (reply) => {
    const { gateway, sent, settle } = scriptedClient([reply]);
    const keyed = post({}, { 'x-idempotency-key': 'mine' });
    await settle(gateway.fetch('/v1/images/edits', keyed).catch(() => undefined));
    expect(sent).toHaveLength(1);
  });

  test.each(failures)('is sent once if its method is not known to be safe (%#)', async (reply) => {
    for (const method of ['PATCH', 'patch', 'MERGE']) {
      const { gateway, sent, settle } = scriptedClient([reply]);
      await settle(gateway.fetch('/v1/other', { method }).catch(() => undefined));
      expect(sent).toHaveLength(1);
    }
  });

  test.each(failures)('is retried if it is a GET, PUT or DELETE (%#)', async (reply) => {
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
      const { gateway, sent, settle } = scriptedClient([reply]);
      await settle(gateway.fetch('/v1/other', { method }).catch(() => undefined));
      expect(sent).toHaveLength(4);
    }
  });

  test('that resembles a documented one is sent once', async () => {
    for (const path of ['/v1/images/tasks/', '/v1//images/tasks', '/v1/images/%74asks']) {
      const { gateway, sent, settle } = scriptedClient([errorReply(502)]);
      await settle(gateway.fetch(path, post({})));
      expect(sent).toHaveLength(1);
    }
  });

  test('accepts any type, as with a plain fetch', async () => {
    const { gateway, sent } = scriptedClient([jsonReply(200, {})]);
    await gateway.fetch('/v1/files/file_1/content');
    expect(sent[0]?.headers.get('accept')).toBe('*/*');
  });

  test('passes its body on unread, as it arrives', async () => {
    let pulled = 0;
    const { gateway } = scriptedClient([
      () =>
        new Response(
          new ReadableStream(
            {
              pull(controller) {
                pulled += 1;
                controller.enqueue(new Uint8Array([pulled]));
              },
            },
            { highWaterMark: 0 },
          ),
        ),
    ]);
    const response = await gateway.fetch('/v1/files/file_1/content');
    // A copy for hooks reads ahead a little.
    expect(pulled).toBeLessThan(4);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toEqual(new Uint8Array([1]));
    await reader?.cancel();
  });
});

test.each(['HEAD', 'OPTIONS'])('a %s is sent once: its response needs no JSON', async (method) => {
  const { gateway, sent, settle } = scriptedClient([textReply(200, '')]);
  expect((await settle(gateway.fetch('/v1/models', { method }))).status).toBe(200);
  expect(sent).toHaveLength(1);
});

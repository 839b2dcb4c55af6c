import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';

import { APIError, Polygate, ResponseValidationError, ServerError } from '../../../src/index.ts';
import { body as bodyOf } from '../../support/event-stream.ts';
import { jsonReply, caught, chat, clientOf, image, scripted, textReply } from '../support.ts';
import type { Reply } from '../support.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a real server and returns its base URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const calls: readonly (readonly [string, (gateway: Polygate) => Promise<unknown>])[] = [
  ['a GET', (gateway) => gateway.models.list()],
  ['a submit', (gateway) => gateway.images.submit(image)],
  ['a chat', (gateway) => gateway.chat.completions.create(chat)],
];

const invalid: readonly (readonly [string, Reply, unknown])[] = [
  [
    'HTML',
    textReply(200, '<!doctype html>\n<title>Hi</title>', 'text/html'),
    expect.stringContaining('<title>'),
  ],
  ['an empty body', textReply(200, ''), ''],
  ['whitespace', textReply(200, ' \n '), ' \n '],
  ['truncated JSON', textReply(200, '{"data": [{"id"', 'application/json'), '{"data": [{"id"'],
  ['plain text', textReply(200, 'OK\nall fine'), 'OK\nall fine'],
  [
    'JSON of the wrong shape',
    jsonReply(200, { data: 'none', choices: 7 }),
    { data: 'none', choices: 7 },
  ],
  ['a JSON list', jsonReply(200, [1, 2]), [1, 2]],
  ['JSON null', jsonReply(200, null), null],
  ['a JSON string', jsonReply(200, 'OK'), 'OK'],
];

describe.each(invalid)('a 200 with %s', (_, reply, body) => {
  test.each(calls)(
    'in response to %s is a ResponseValidationError with the body',
    async (__, call) => {
      const tagged: Reply = async (sent) => {
        const response = await reply(sent);
        response.headers.set('x-request-id', 'req_1');
        response.headers.set('x-svc-charge-usd', '0.5');
        return response;
      };
      const { fetch } = scripted(tagged);
      const error = await caught(call(clientOf(fetch, { maxRetries: 0 })));
      expect(error).toBeInstanceOf(ResponseValidationError);
      expect(error.body).toEqual(body);
      expect(error.meta).toMatchObject({ status: 200, requestId: 'req_1', chargeUsd: 0.5 });
      expect(error.message).not.toMatch(/[\r\n]/);
      expect(error.message).toContain('req_1');
      expect(error.message.length).toBeLessThan(900);
    },
  );
});

describe('the message is short', () => {
  test.each([
    ['a long text', textReply(200, 'lorem ipsum\n'.repeat(20_000))],
    ['long JSON', jsonReply(200, { data: 'x'.repeat(100_000) })],
    [
      'a thousand wrong fields',
      jsonReply(200, { data: Array.from({ length: 1_000 }, () => ({})) }),
    ],
    ['one long word', textReply(200, 'x'.repeat(200_000))],
  ])('for %s', async (_, reply) => {
    const error = await caught(clientOf(scripted(reply).fetch, { maxRetries: 0 }).models.list());
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message.length).toBeLessThan(900);
    expect(error.message).not.toMatch(/[\r\n]/);
  });

  test('for a schema of the caller that reports a thousand issues', async () => {
    const { fetch } = scripted(jsonReply(200, { rows: Array.from({ length: 1_000 }, () => 'no') }));
    const schema = z.object({ rows: z.array(z.number()) });
    const request = { method: 'GET', path: '/v1/rows', schema } as const;
    const error = await caught(clientOf(fetch).request(request));
    expect(error.issues).toHaveLength(1_000);
    expect(error.message.length).toBeLessThan(900);
  });

  test.each(['', ' \n\t '])('and says that the body is empty for %j', async (blank) => {
    const { fetch } = scripted(textReply(200, blank));
    const error = await caught(clientOf(fetch, { maxRetries: 0 }).models.list());
    expect(error.message).toContain('the body is empty');
  });

  test('and the issues name the invalid fields', async () => {
    const { fetch } = scripted(jsonReply(200, { object: 'list', data: [{ id: 'a' }, { id: 7 }] }));
    const error = await caught(clientOf(fetch).models.list());
    expect(error.issues).toMatchObject([{ path: ['data', 1, 'id'] }]);
    expect(error.message).toContain('data.1.id');
  });
});

describe('an unreadable submit response', () => {
  const headers = { 'x-svc-task-id': 'task_7', 'x-svc-charge-usd': '0.02' };

  test.each([
    ['HTML', () => new Response('<html>', { status: 202, headers })],
    ['half of its JSON', () => new Response('{"id": "ta', { status: 202, headers })],
    ['a list', jsonReply(202, [], headers)],
  ])('with %s hides neither the task nor the charge', async (_, reply) => {
    const { fetch, sent } = scripted(reply);
    const gateway = clientOf(fetch);
    const error = await caught(gateway.images.submit(image));
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error).toMatchObject({
      task: { id: 'task_7', kind: 'image' },
      meta: { taskId: 'task_7' },
    });
    expect(error.idempotencyKey).toBe(sent[0]?.headers.get('x-idempotency-key'));
    expect(gateway.spend.totalUsd).toBe(0.02);
    expect(sent).toHaveLength(1);
  });
});

describe('maxResponseBytes', () => {
  /** A reply with 5 MB of bytes, and how many of them were read. */
  function endless(init: ResponseInit = {}) {
    const state = { bytes: 0, canceled: false };
    const reply: Reply = () => {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          state.bytes += 10_000;
          controller.enqueue(new Uint8Array(10_000).fill(32));
          if (state.bytes >= 5_000_000) controller.close();
        },
        cancel: () => {
          state.canceled = true;
        },
      });
      return new Response(body, init);
    };
    return { reply, state };
  }

  test('stops reading an endless response', async () => {
    const { reply, state } = endless();
    const gateway = clientOf(scripted(reply).fetch, { maxResponseBytes: 50_000 });
    const error = await caught(gateway.models.list());
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toContain('50000');
    expect(state.canceled).toBe(true);
    expect(state.bytes).toBeLessThan(100_000);
  });

  test('counts bytes and accepts a body of exactly this size', async () => {
    const body = JSON.stringify({ object: 'list', data: [], note: 'ключ' });
    const size = new TextEncoder().encode(body).byteLength;
    const list = (maxResponseBytes: number) =>
      clientOf(scripted(textReply(200, body)).fetch, { maxResponseBytes }).models.list();
    expect((await list(size)).data).toEqual([]);
    expect(await caught(list(size - 1))).toBeInstanceOf(ResponseValidationError);
  });

  test('does not rely on content-length', async () => {
    const { reply, state } = endless({ headers: { 'content-length': '100' } });
    const gateway = clientOf(scripted(reply).fetch, { maxResponseBytes: 50_000 });
    const error = await caught(gateway.models.list());
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(state.bytes).toBeLessThan(100_000);
  });

  test('counts the decompressed bytes', async () => {
    const gzipped = gzipSync(`{"object":"list","data":[]${' '.repeat(5_000_000)}}`);
    const baseURL = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': gzipped.byteLength });
      response.end(gzipped);
    });
    const options = { baseURL, maxResponseBytes: 100_000 };
    const gateway = clientOf(globalThis.fetch, { ...options, clock: systemClock });
    expect(await caught(gateway.models.list())).toBeInstanceOf(ResponseValidationError);
  });

  test('keeps the error class of an error with an endless body', async () => {
    const { reply, state } = endless({ status: 500 });
    const gateway = clientOf(scripted(reply).fetch, { maxResponseBytes: 50_000, maxRetries: 0 });
    const error = await caught(gateway.models.list());
    expect(error).toBeInstanceOf(ServerError);
    expect(error.status).toBe(500);
    expect(error.message.length).toBeLessThan(900);
    expect(state.bytes).toBeLessThan(2_000_000);
  });
});

describe('a redirect', () => {
  test.each([300, 301, 302, 303, 304, 307, 308])('of %i is an APIError', async (status) => {
    const { fetch, sent } = scripted(
      () => new Response(null, { status, headers: { location: 'https://evil.example/' } }),
    );
    const error = await caught(clientOf(fetch).images.submit(image));
    expect(error).toBeInstanceOf(APIError);
    expect(error.status).toBe(status);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.redirect).toBe('manual');
  });

  test.each([301, 302, 303, 307, 308])('of %i sends no bytes to a second host', async (status) => {
    let second = 0;
    const otherHost = await serve((_, response) => {
      second += 1;
      response.end('{}');
    });
    let first = 0;
    const baseURL = await serve((_, response) => {
      first += 1;
      response.writeHead(status, { location: otherHost }).end();
    });
    const gateway = clientOf(globalThis.fetch, { baseURL, clock: systemClock });
    expect(await caught(gateway.models.list())).toBeInstanceOf(APIError);
    expect(await caught(gateway.images.submit(image))).toMatchObject({
      status,
      // The service has handled the request of a 303.
      outcome: status === 303 ? 'unknown' : 'rejected',
    });
    expect(await caught(gateway.models.list().asResponse())).toBeInstanceOf(APIError);
    expect([first, second]).toEqual([3, 0]);
  });
});

const systemClock = {
  now: () => Date.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
};

describe('a response that arrives in chunks', () => {
  const id = '漢/\u{1f680}-é';
  const body = new TextEncoder().encode(`\ufeff{"object":"list","data":[{"id":"${id}"}]}`);

  test.each([1, 2, 3, 5, 1_000])('of %d bytes is reassembled', async (size) => {
    const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
      body.slice(at * size, (at + 1) * size),
    );
    const headers = { 'content-type': 'application/json' };
    const gateway = clientOf(async () => new Response(bodyOf(pieces), { headers }));
    const { data } = await gateway.models.list();
    expect(data).toEqual([{ id }]);
  });
});

test('a fetch that returns a Response synchronously works', async () => {
  const synchronous: object = { fetch: () => Response.json({ object: 'list', data: [] }) };
  const gateway = new Polygate({
    apiKey: 'sk-test',
    baseURL: 'https://gateway.example',
    ...synchronous,
  });
  expect((await gateway.models.list()).data).toEqual([]);
});

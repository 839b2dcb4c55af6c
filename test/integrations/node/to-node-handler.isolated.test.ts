import { once } from 'node:events';
import { Agent, createServer, request as openRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { toNodeHandler } from 'polygate/node';
import { expect, onTestFinished, test } from 'vitest';

import { collectGarbage } from '../../support/collect-garbage.ts';
import { eventually } from '../../support/eventually.ts';
import { serveLocally } from '../proxy/support.ts';

/** Serves a listener until the end of the test. */
const serve = (listener: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown) =>
  serveLocally(createServer((incoming, outgoing) => void listener(incoming, outgoing)));

test('the handler receives the method, the URL, the headers and the body', async () => {
  const origin = await serve(
    toNodeHandler(async (request) =>
      Response.json(
        {
          method: request.method,
          url: request.url,
          name: request.headers.get('x-name'),
          body: await request.text(),
        },
        { status: 201, headers: { 'x-reply': 'yes' } },
      ),
    ),
  );
  const response = await fetch(`${origin}//evil.example/v1?a=1`, {
    method: 'POST',
    headers: { 'x-name': 'ann' },
    body: 'Hello',
  });
  expect([response.status, response.headers.get('x-reply')]).toEqual([201, 'yes']);
  expect(await response.json()).toEqual({
    method: 'POST',
    url: `${origin}//evil.example/v1?a=1`,
    name: 'ann',
    body: 'Hello',
  });
});

test('responses without a body, several cookies and HEAD requests work', async () => {
  const headers = new Headers([
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
  ]);
  const origin = await serve(
    toNodeHandler(({ method }) =>
      method === 'HEAD' ? new Response('body') : new Response(null, { status: 204, headers }),
    ),
  );
  const response = await fetch(origin);
  expect([response.status, response.headers.getSetCookie()]).toEqual([204, ['a=1', 'b=2']]);
  expect((await fetch(origin, { method: 'HEAD' })).status).toBe(200);
});

test('requests of HTTP/2 have the same form', async () => {
  const handler = toNodeHandler(
    async (request) =>
      new Response(`${request.url} ${request.headers.get('x-name')} ${await request.text()}`),
  );
  const server = createHttp2Server(
    (incoming, outgoing) => void handler(incoming as never, outgoing as never),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = connect(origin);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const outgoing = client.request({ ':method': 'POST', ':path': '/v1', 'x-name': 'ann' });
  outgoing.end('Hello');
  expect(await text(outgoing)).toBe(`${origin}/v1 ann Hello`);
});

test('in an Express-style app, the URL is that before the mount path was removed', async () => {
  const handler = toNodeHandler(({ url }) => new Response(new URL(url).pathname));
  const origin = await serve((incoming, outgoing) => {
    const mounted = Object.assign(incoming, { originalUrl: incoming.url, url: '/v1/models' });
    return handler(mounted, outgoing, () => {});
  });
  expect(await (await fetch(`${origin}/api/gateway/v1/models`)).text()).toBe(
    '/api/gateway/v1/models',
  );
});

test('a client that disconnects aborts the request and cancels the body', async () => {
  const signals: AbortSignal[] = [];
  let isCancelled = false;
  const origin = await serve(
    toNodeHandler(({ signal }) => {
      signals.push(signal);
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('first')),
        cancel: () => void (isCancelled = true),
      });
      return new Response(body);
    }),
  );
  const leaving = new AbortController();
  const response = await fetch(origin, { signal: leaving.signal });
  await response.body?.getReader().read();
  expect(signals[0]?.aborted).toBe(false);
  leaving.abort();
  await eventually(() => expect([signals[0]?.aborted, isCancelled]).toEqual([true, true]));
});

test('a response that was sent does not abort its request', async () => {
  const signals: AbortSignal[] = [];
  const origin = await serve(
    toNodeHandler(({ signal }) => (signals.push(signal), new Response('done'))),
  );
  await (await fetch(origin, { headers: { connection: 'close' } })).text();
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(signals[0]?.aborted).toBe(false);
});

test('a client that does not read slows the body down', async () => {
  let pulled = 0;
  const origin = await serve(
    toNodeHandler(() => {
      const pull = (controller: ReadableStreamDefaultController) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(65_536));
        if (pulled === 5_000) controller.close();
      };
      return new Response(new ReadableStream({ pull }));
    }),
  );
  const outgoing = openRequest(origin);
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.pause();
  let before = -1;
  await expect
    .poll(
      () => {
        const isStill = before === pulled;
        before = pulled;
        return isStill;
      },
      { interval: 200 },
    )
    .toBe(true);
  expect(pulled).toBeLessThan(5_000);
  outgoing.destroy();
});

test.each([
  ['is passed to next', true, 200, 'next: No database'],
  ['becomes a 500 without details', false, 500, ''],
])('an error of the handler %s', async (_, hasNext, status, body) => {
  const handler = toNodeHandler(() => Promise.reject(new Error('No database')));
  const origin = await serve((incoming, outgoing) => {
    const next = (error?: unknown) => void outgoing.end(`next: ${(error as Error).message}`);
    return handler(incoming, outgoing, ...(hasNext ? [next] : []));
  });
  const response = await fetch(origin);
  expect([response.status, await response.text()]).toEqual([status, body]);
});

test.each([
  ['is not read', () => new Response(null, { status: 401 }), 401],
  [
    'is cancelled',
    async ({ body }: Request) => {
      const reader = body?.getReader();
      await reader?.read();
      await reader?.cancel();
      return new Response(null, { status: 413 });
    },
    413,
  ],
] as const)('a body that %s does not block or close the connection', async (_, handler, status) => {
  const origin = await serve(toNodeHandler(handler));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const send = async () => {
    const outgoing = openRequest(origin, { method: 'POST', agent });
    outgoing.end(Buffer.alloc(5_000_000));
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const port = outgoing.socket?.localPort;
    incoming.resume();
    await once(incoming, 'end');
    return [incoming.statusCode, port];
  };
  const first = await send();
  expect(first[0]).toBe(status);
  expect(await send()).toEqual(first);
});

test('a truncated body closes the connection', async () => {
  const origin = await serve(
    toNodeHandler(() => {
      const body = new ReadableStream({
        pull: (controller) => controller.error(new Error('Broken')),
      });
      return new Response(body);
    }),
  );
  await expect(fetch(origin).then((response) => response.text())).rejects.toThrow('terminated');
});

test('an invalid host closes the connection', async () => {
  const origin = await serve(toNodeHandler(() => new Response()));
  const outgoing = openRequest(origin, { headers: { host: 'a b' } });
  outgoing.end();
  await expect(once(outgoing, 'response')).rejects.toThrow('hang up');
});

test('the signal aborts although the handler keeps nothing but the signal of its request', async () => {
  const signals: AbortSignal[] = [];
  const origin = await serve(
    toNodeHandler(({ signal }) => {
      signals.push(signal);
      // Canceling the body does not end the work behind it.
      return new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(1)) }));
    }),
  );
  const pages = Array.from({ length: 200 }, async () => {
    const page = new AbortController();
    // A response that is collected would end the request.
    return { page, response: await fetch(origin, { signal: page.signal }) };
  });
  const open = await Promise.all(pages);
  await collectGarbage();
  for (const { page } of open) page.abort();
  await eventually(() => {
    expect(signals.filter(({ aborted }) => aborted)).toHaveLength(200);
  });
});

test('a request line in absolute form gives the host and the path of the request', async () => {
  const urls: string[] = [];
  const { port } = new URL(
    await serve(
      toNodeHandler((request) => {
        urls.push(request.url);
        return new Response('ok');
      }),
    ),
  );
  for (const path of [
    'http://app.example/a?b=1',
    'HTTP://app.example:8080',
    'http://a.example?c',
  ]) {
    const outgoing = openRequest({ host: '127.0.0.1', port, path, agent: false }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
  }
  expect(urls).toEqual([
    'http://app.example/a?b=1',
    'http://app.example:8080/',
    'http://a.example/?c',
  ]);
});

import { Readable } from 'node:stream';

import { describe, expect, test } from 'vitest';

import { eventually } from '../../../support/eventually.ts';
import { failure, openFetch, serve, serveRaw } from './support.ts';

const respondWith = (head: string, body = '') =>
  serveRaw((socket) => void socket.write(Buffer.from(`HTTP/1.1 ${head}\r\n\r\n${body}`, 'latin1')));

describe('the response', () => {
  test('is a Response with status, URL and headers', async () => {
    const { url } = await respondWith(
      '418 Short And Stout\r\nContent-Length: 5\r\nX-Tea: black \r\nContent-Type: text/plain',
      'short',
    );
    const response = await openFetch()(`${url}/pot?hot=yes#handle`);
    expect(response).toBeInstanceOf(Response);
    expect(response).toMatchObject({
      status: 418,
      statusText: 'Short And Stout',
      ok: false,
      url: `${url}/pot?hot=yes`,
      redirected: false,
      type: 'basic',
      bodyUsed: false,
    });
    expect(response.headers).toBeInstanceOf(Headers);
    expect(response.headers.get('x-tea')).toBe('black');
    expect(response.body).toBeInstanceOf(ReadableStream);
    expect(await response.text()).toBe('short');
    expect(response.bodyUsed).toBe(true);
    expect(Object.prototype.toString.call(response)).toBe('[object Response]');
  });

  test('has repeated headers, and decodes bytes as Latin-1', async () => {
    const { url } = await respondWith(
      '200 OK\r\nContent-Length: 0\r\nVary: a\r\nVary: b\r\nSet-Cookie: a=1, 2\r\nSet-Cookie: b=3\r\nX-Name: caf\u00e9\r\nEmpty:',
    );
    const { headers } = await openFetch()(url);
    expect(headers.get('vary')).toBe('a, b');
    expect(headers.getSetCookie()).toEqual(['a=1, 2', 'b=3']);
    expect(headers.get('x-name')).toBe('caf\u00e9');
    expect(headers.get('empty')).toBe('');
    expect(headers.get('missing')).toBeNull();
    expect(headers.get('constructor')).toBeNull();
  });

  test.each(['204 No Content', '205 Reset Content', '304 Not Modified'])(
    'has no body after %s',
    async (status) => {
      const { url } = await respondWith(`${status}\r\nContent-Length: 0`);
      const response = await openFetch()(url);
      expect(response.body).toBeNull();
      expect(await response.text()).toBe('');
      expect(response.clone().body).toBeNull();
    },
  );

  test('to HEAD has no body, and keeps the headers of one', async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(200, { 'content-length': 9 }).end(),
    );
    const response = await openFetch()(url, { method: 'HEAD' });
    expect(response.body).toBeNull();
    expect(response.headers.get('content-length')).toBe('9');
  });

  test('follows informational responses', async () => {
    const { url } = await respondWith(
      '103 Early Hints\r\nLink: </style.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2',
      'ok',
    );
    const response = await openFetch()(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('link')).toBeNull();
    expect(await response.text()).toBe('ok');
  });

  test('is read in every form', async () => {
    const { url } = await serve((request, response) => {
      response.setHeader('content-type', request.headers['content-type'] ?? 'application/json');
      request.pipe(response);
    });
    const fetch = openFetch();
    const send = (body: BodyInit) => fetch(url, { method: 'POST', body });
    expect(await (await send('{"a":1}')).json()).toEqual({ a: 1 });
    expect([...(await (await send('ab')).bytes())]).toEqual([97, 98]);
    expect((await (await send('abc')).arrayBuffer()).byteLength).toBe(3);
    const blob = await (await send(new Blob(['x'], { type: 'image/png' }))).blob();
    expect([blob.type, await blob.text()]).toEqual(['image/png', 'x']);
    const form = new FormData();
    form.set('name', 'value');
    expect([...(await (await send(form)).formData())]).toEqual([['name', 'value']]);
  });

  test('can be cloned, and both bodies are complete', async () => {
    const { url } = await respondWith('200 OK\r\nContent-Length: 5\r\nX-A: 1', 'hello');
    const response = await openFetch()(url);
    const copy = response.clone();
    expect(copy).toBeInstanceOf(Response);
    expect([copy.url, copy.status, copy.headers.get('x-a')]).toEqual([response.url, 200, '1']);
    expect(await Promise.all([response.text(), copy.text()])).toEqual(['hello', 'hello']);
    expect(() => response.clone()).toThrow(TypeError);
  });

  test('can be read once', async () => {
    const { url } = await respondWith('200 OK\r\nContent-Length: 5', 'hello');
    const response = await openFetch()(url);
    await response.text();
    expect((await failure(response.text())).error).toBeInstanceOf(TypeError);
  });

  test('can be passed to the constructor of Response', async () => {
    const { url } = await respondWith('201 Made\r\nContent-Length: 2\r\nX-A: 1', 'ok');
    const response = await openFetch()(url);
    const copy = new Response(response.body, response);
    expect([copy.status, copy.statusText, copy.headers.get('x-a')]).toEqual([201, 'Made', '1']);
    expect(await copy.text()).toBe('ok');
  });

  test('fills a buffer of the reader', async () => {
    const { url } = await respondWith('200 OK\r\nContent-Length: 5', 'hello');
    const reader = (await openFetch()(url)).body?.getReader({ mode: 'byob' });
    const first = await reader?.read(new Uint8Array(3));
    expect(Buffer.from(first?.value ?? []).toString()).toBe('hel');
    const second = await reader?.read(new Uint8Array(3));
    expect(Buffer.from(second?.value ?? []).toString()).toBe('lo');
    expect((await reader?.read(new Uint8Array(3)))?.done).toBe(true);
  });
});

test('the body is read on demand: a slow reader slows the sender down', async () => {
  let sent = 0;
  const total = 64 * 1_048_576;
  const { url } = await serve((_, response) => {
    Readable.from(
      (function* () {
        for (; sent < total; sent += 65_536) yield Buffer.alloc(65_536, 'a');
      })(),
    ).pipe(response);
  });
  const response = await openFetch()(url);
  let seen = -1;
  let unchanged = 0;
  // The buffers of the two sockets fill up, and then nothing more is sent.
  await eventually(() => {
    unchanged = sent === seen ? unchanged + 1 : 0;
    seen = sent;
    expect(unchanged).toBeGreaterThan(20);
  });
  expect(sent).toBeLessThan(total / 2);
  let received = 0;
  for await (const chunk of response.body ?? []) received += chunk.byteLength;
  expect(received).toBe(total);
});

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import type { Fault } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import { eventually } from '../../support/eventually.ts';
import { caught, chat, image } from '../support.ts';
import { chatPath, fetchChat, imagePath, networkCodesOf, post } from './support.ts';

const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** The reference gateway on a real socket, and a client that uses the real `fetch`. */
async function onSocket(fault?: Fault) {
  const mock = createMockGateway();
  const server = await listen(mock);
  cleanups.push(() => server.close());
  if (fault) mock.fail(fault);
  const { apiKey } = mock;
  const { baseURL } = server;
  const gateway = new Polygate({ apiKey, baseURL, logLevel: 'off', random: () => 0 });
  return { mock, gateway, baseURL };
}

/** A service that answers as the callback decides. */
async function serviceOf(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const baseURL = `http://127.0.0.1:${port}`;
  return new Polygate({ apiKey: 'sk-test', baseURL, logLevel: 'off', random: () => 0 });
}

const stream = { ...chat, stream: true };

describe('over a socket', () => {
  test('a streamed chat arrives byte for byte', async () => {
    const { gateway, mock } = await onSocket({ splitBytes: 7 });
    const response = await fetchChat(gateway, stream);
    expect(response.url).toBe(`${gateway.baseURL}${chatPath}`);
    const text = await response.text();
    expect(text).toMatch(
      /^: keep-alive\n\ndata: \{.*"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/s,
    );
    expect(mock.invoice).toHaveLength(1);
  });

  test.each<Fault>([
    { cutStreamAfter: 1, cut: 'reset' },
    { cutStreamAfter: 2, cut: 'end' },
    { truncateBody: 50 },
  ])('a streamed chat that is cut off fails: %o', async (fault) => {
    const { gateway, mock } = await onSocket(fault);
    const response = await fetchChat(gateway, stream);
    const error = await caught(response.text());
    expect(error).toMatchObject({ name: 'StreamTruncatedError', outcome: 'unknown' });
    expect(networkCodesOf(error)).toEqual([]);
    expect(gateway.concurrency.inFlight).toBe(0);
    expect(mock.invoice).toHaveLength(1);
  });

  test.each(['cancel', 'abort'])('%s closes the connection of a streamed chat', async (how) => {
    const { gateway, mock } = await onSocket({ stallBody: 40 });
    const stop = new AbortController();
    const response = await fetchChat(gateway, stream, { signal: stop.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(mock.inFlight).toBe(1);
    if (how === 'cancel') await reader?.cancel();
    else {
      stop.abort(new Error('enough'));
      expect((await caught(Promise.resolve(reader?.read()))).message).toBe('enough');
    }
    expect(gateway.concurrency.inFlight).toBe(0);
    await eventually(() => expect(mock.inFlight).toBe(0));
  });

  test.each([
    ['a chat', chatPath, chat, 1, 1],
    ['a submission', imagePath, image, 4, 1],
    ['an unknown POST', '/v1/images/edits', image, 1, 0],
  ])('%s whose connection is reset', async (_, path, body, requests, charges) => {
    const { gateway, mock } = await onSocket({ reset: 'after' });
    const error = await caught(gateway.fetch(path, post(body)));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    expect(networkCodesOf(error)).toEqual([]);
    expect(mock.requests).toHaveLength(requests);
    expect(mock.invoice).toHaveLength(charges);
  });

  test.each([
    ['/v1/models', 'GET', 4],
    ['/v1/status', 'GET', 4],
    ['/v1/images/tasks/task_1', 'GET', 4],
    [imagePath, 'POST', 4],
    [chatPath, 'POST', 1],
  ])('a body that is cut off rejects: %s', async (path, method, expected) => {
    let requests = 0;
    const gateway = await serviceOf((_, response) => {
      requests += 1;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 900 });
      response.write('{"data":[', () => response.socket?.resetAndDestroy());
    });
    const error = await caught(gateway.fetch(path, { method }));
    expect(error).toMatchObject({ name: 'ConnectionError' });
    expect(networkCodesOf(error)).toEqual([]);
    expect(requests).toBe(expected);
  });

  test('an error status has the bytes that were sent, and leaves the connection usable', async () => {
    const sockets = new Set<unknown>();
    const sent = Buffer.from([0xef, 0xbb, 0xbf, 0x00, 0xff, 0x7b]);
    const gateway = await serviceOf(({ socket }, response) => {
      sockets.add(socket);
      response.writeHead(418, 'Short and stout', { 'x-own': 'a', 'x-svc-charge-usd': '0.25' });
      response.end(sent);
    });
    for (let round = 0; round < 6; round += 1) {
      const response = await gateway.fetch(chatPath, post(chat));
      expect(response).toMatchObject({ status: 418, statusText: 'Short and stout' });
      expect(response.headers.get('x-own')).toBe('a');
      expect(response.url).toBe(`${gateway.baseURL}${chatPath}`);
      expect(Buffer.from(await response.arrayBuffer()).equals(sent)).toBe(true);
    }
    expect(sockets.size).toBeLessThan(4);
    expect(gateway.spend).toMatchObject({ totalUsd: 1.5, requests: 6 });
  });

  const large = Buffer.alloc(3_000_000, 'Invalid model. ');

  test.each([
    ['and its length', { 'content-length': large.length }],
    ['in chunks', {}],
  ])('an error body of 3 MB that is sent %s is passed on completely', async (_, headers) => {
    const gateway = await serviceOf((_request, response) => {
      response.writeHead(400, headers);
      response.end(large);
    });
    const { signal } = new AbortController();
    for (const init of [{}, { signal }]) {
      const response = await fetchChat(gateway, chat, init);
      expect(response.status).toBe(400);
      expect(gateway.concurrency.inFlight).toBe(0);
      expect(Buffer.from(await response.arrayBuffer()).equals(large)).toBe(true);
    }
  });

  test.each(['cancel', 'abort'])(
    '%s closes the connection of an endless error body',
    async (how) => {
      let written = 0;
      let isClosed = false;
      const gateway = await serviceOf((_, response) => {
        response.writeHead(404).on('close', () => (isClosed = true));
        const write = (): void =>
          void response.write(large, (error) => {
            written += large.length;
            if (!error) write();
          });
        write();
      });
      const stop = new AbortController();
      const response = await fetchChat(gateway, chat, { signal: stop.signal });
      const reader = response.body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      if (how === 'cancel') await reader?.cancel();
      else stop.abort(new Error('enough'));
      await eventually(() => expect(isClosed).toBe(true));
      // The rest waits in the connection until someone reads it.
      expect(written).toBeLessThan(20 * large.length);
    },
  );

  test('an error body that is cut off fails', async () => {
    const gateway = await serviceOf((_, response) => {
      response.writeHead(400, { 'content-length': 900 });
      response.write('{"error":', () => response.socket?.resetAndDestroy());
    });
    const response = await gateway.fetch(chatPath, post(chat));
    expect(response.status).toBe(400);
    await expect(response.text()).rejects.toBeInstanceOf(Error);
  });

  test('a redirect is passed on, and the API key stays', async () => {
    const paths: (string | undefined)[] = [];
    const gateway = await serviceOf(({ url }, response) => {
      paths.push(url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const response = await gateway.fetch(chatPath, post(chat));
    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe('/elsewhere');
    expect(paths).toEqual([chatPath]);
  });

  test('FormData arrives as multipart', async () => {
    let body = '';
    let type: string | undefined;
    const server = createServer((request, response) => {
      type = request.headers['content-type'];
      request.on('data', (piece) => (body += piece)).on('end', () => response.end('{}'));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    cleanups.push(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const gateway = new Polygate({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}` });
    const form = new FormData();
    form.set('image', new Blob(['bytes']), 'a.png');
    await (await gateway.fetch('/v1/images/edits', { method: 'POST', body: form })).text();
    const received = new Response(body, { headers: { 'content-type': type ?? '' } });
    const file = (await received.formData()).get('image');
    expect(file instanceof File && [file.name, await file.text()]).toEqual(['a.png', 'bytes']);
    server.closeAllConnections();
  });
});

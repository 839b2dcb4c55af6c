import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { eventually } from '../../../support/eventually.ts';
import { failure, openFetch, serve } from './support.ts';

const text = 'A harbor at dusk. '.repeat(5_000);
const codings = [
  ['gzip', gzipSync(text)],
  ['x-gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['gzip, BR', brotliCompressSync(gzipSync(text))],
] as const;

const serveEncoded = (coding: string, body: Uint8Array) =>
  serve((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(body));

describe.each(codings)('a body in %s', (coding, body) => {
  test('is decoded', async () => {
    const { url } = await serveEncoded(coding, body);
    const response = await openFetch()(url);
    expect(await response.text()).toBe(text);
    expect(response.headers.get('content-encoding')).toBe(coding);
  });

  test('fails if it is truncated, although its transfer is complete', async () => {
    const { url } = await serveEncoded(coding, body.subarray(0, body.length - 12));
    const response = await openFetch()(url);
    expect((await failure(response.text())).error).toMatchObject({
      name: 'TypeError',
      message: 'terminated',
    });
  });
});

test('a damaged body fails', async () => {
  const { url } = await serveEncoded('gzip', Buffer.from('no gzip'));
  const { error, cause } = await failure((await openFetch()(url)).text());
  expect([error.message, cause.code]).toEqual(['terminated', 'Z_DATA_ERROR']);
});

test('an empty body is empty in every coding', async () => {
  const { url } = await serveEncoded('gzip', Buffer.alloc(0));
  expect(await (await openFetch()(url)).text()).toBe('');
});

test.each(['identity', 'unknown'])('a body in %s is left as it is', async (coding) => {
  const { url } = await serveEncoded(coding, Buffer.from('abc'));
  expect(await (await openFetch()(url)).text()).toBe('abc');
});

test('each flushed part is readable before the next one arrives', async () => {
  const { createGzip } = await import('node:zlib');
  const encoder = createGzip();
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    encoder.pipe(response);
    encoder.write('first');
    encoder.flush();
  });
  const reader = (await openFetch()(url)).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
  encoder.end('second');
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second');
  expect((await reader?.read())?.done).toBe(true);
});

test('a lost connection in a compressed body fails with the error of the connection', async () => {
  const { url, sockets } = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.write(gzipSync(text).subarray(0, 20));
  });
  const response = await openFetch()(url);
  const reading = failure(response.text());
  await eventually(() => expect(sockets).toHaveLength(1));
  sockets[0]?.destroy();
  const { error, cause } = await reading;
  expect([error.message, cause.code]).toEqual(['terminated', 'UND_ERR_SOCKET']);
});

test('canceling and aborting end a compressed body, and close its connection', async () => {
  const { url, sockets } = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.write(gzipSync(text).subarray(0, 20));
  });
  const fetch = openFetch();
  const reader = (await fetch(url)).body?.getReader();
  const pending = reader?.read();
  await reader?.cancel();
  expect((await pending)?.done).toBe(true);
  const controller = new AbortController();
  const reading = failure((await fetch(url, { signal: controller.signal })).text());
  const reason = new Error('no longer needed');
  controller.abort(reason);
  expect((await reading).error).toBe(reason);
  await eventually(() => expect(sockets.every(({ destroyed }) => destroyed)).toBe(true));
});

import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { saveTo } from 'polygate/node';
import { H2CClient } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ConnectionError } from '../../../src/index.ts';
import { emptyFolder, noPause } from '../../integrations/node/support.ts';
import { fileBytes, fileServer } from '../../support/file-server.ts';
import type { FileServerOptions } from '../../support/file-server.ts';
import { rejection } from '../../support/rejection.ts';
import { clientOf, scripted } from '../support.ts';

const gateway = clientOf(fetch, { allowInsecureBaseURL: true });

/** What the two ways to download report about a file. */
async function downloaded(url: string, client = gateway) {
  const folder = await emptyFolder();
  const response = await client.download(url);
  const before = response.complete;
  const { byteLength } = await response.arrayBuffer();
  const { bytes, complete } = await saveTo(client, url, folder.file('film.mp4'));
  expect([before, response.complete, byteLength]).toEqual([false, complete, bytes]);
  return { bytes, complete };
}

const all = fileBytes.length;

describe('a complete download', () => {
  test.each<[string, FileServerOptions]>([
    ['with a content-length', {}],
    ['of an empty file', { body: new Uint8Array() }],
    ['in chunks', { sized: false }],
  ])('%s is verified', async (_, options) => {
    const { url } = await fileServer(options);
    expect(await downloaded(url)).toEqual({
      bytes: options.body?.length ?? all,
      complete: true,
    });
  });

  test('of a data URL is verified', async () => {
    expect(await downloaded('data:text/plain,Ahoy')).toEqual({ bytes: 4, complete: true });
  });

  test('whose rest was requested after an interruption is verified by the size of the file', async () => {
    const folder = await emptyFolder();
    const server = await fileServer({ sized: false, breakAt: [60_000] });
    const { onProgress } = server;
    const saved = await saveTo(gateway, server.url, folder.file('film.mp4'), {
      ...noPause,
      onProgress,
    });
    expect(server.requests[1]).toHaveProperty('range', 'bytes=60000-');
    expect(saved).toMatchObject({ bytes: all, complete: true });
  });

  test('without a body is verified only with a size', async () => {
    const headers = { 'content-length': '0' };
    for (const [init, complete] of [
      [{ headers }, true],
      [{}, 'unverified'],
    ] as const) {
      const { fetch: empty } = scripted(() => new Response(null, init));
      const response = await clientOf(empty).download('https://files.example/film.mp4');
      expect(response.complete).toBe(complete);
    }
  });
});

describe('a truncated download', () => {
  test('whose connection ends without a size or chunks is unverified', async () => {
    const { url } = await fileServer({
      answer: ({ socket }) => {
        socket.end('HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\n\r\nframes');
        return true;
      },
    });
    expect(await downloaded(url)).toEqual({ bytes: 6, complete: 'unverified' });
  });

  test.each([
    ['NO_ERROR', 0],
    ['INTERNAL_ERROR', 2],
    ['CANCEL', 8],
  ])('over HTTP/2 that ends with RST_STREAM and %s is unverified, or an error', async (_, code) => {
    let headers = {};
    const server = createHttp2Server();
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      stream.respond({ 'content-type': 'video/mp4', ...headers });
      stream.write(fileBytes.subarray(0, 1_000), () => stream.close(code));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const dispatcher = new H2CClient(url);
    onTestFinished(async () => {
      await dispatcher.destroy();
      server.close();
    });
    const overHttp2: typeof fetch = (input, init) =>
      fetch(input, Object.assign({ dispatcher }, init));
    const client = clientOf(overHttp2, { allowInsecureBaseURL: true });
    expect(await downloaded(url, client)).toEqual({ bytes: 1_000, complete: 'unverified' });
    headers = { 'content-length': all };
    await rejection(ConnectionError, (await client.download(url)).bytes());
  });

  const encodings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };
  const truncated = Object.entries(encodings).map(([encoding, compress]): [string, Uint8Array] => {
    const whole = compress(fileBytes);
    return [encoding, whole.subarray(0, whole.length - 20)];
  });

  test.each(truncated)(
    'of a file that is compressed as %s although this was not asked for is unverified',
    async (encoding, body) => {
      // With its size, and in chunks.
      for (const sized of [true, false]) {
        const headers = { 'content-encoding': encoding };
        const { url } = await fileServer({ body, sized, headers });
        const { bytes, complete } = await downloaded(url);
        expect(bytes).toBeLessThan(all);
        expect(complete).toBe('unverified');
      }
    },
  );

  test('cannot happen inside a compressed body if the server only compresses on request', async () => {
    const { url } = await fileServer({
      answer: ({ headers }, response) => {
        if (!/gzip/.test(String(headers['accept-encoding']))) return false;
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(truncated[0]?.[1]);
        return true;
      },
    });
    expect(await downloaded(url)).toEqual({ bytes: all, complete: true });
  });
});

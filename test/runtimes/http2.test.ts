import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { constants } from 'node:http2';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';

import { createApp } from '../packaging/app.ts';
import { startHttp2Gateway } from '../support/http2-server.ts';
import type { Http2Fault, Http2Gateway } from '../support/http2-server.ts';

const execute = promisify(execFile);

let app: string;
let gateway: Http2Gateway;
let charges = 0;
let posts = 0;

beforeAll(async () => {
  app = await createApp('http2', [inject('tarball'), 'node@26.10.0']);
  gateway = await startHttp2Gateway();
  await copyFile(new URL('http2.js', import.meta.url), join(app, 'http2.js'));
  await writeFile(join(app, 'ca.pem'), gateway.certificate);
  gateway.mock.setConcurrencyLimit(1_000);
});
afterEach(() => {
  charges = gateway.mock.invoice.length;
  posts = gateway.posts();
});
afterAll(() => gateway.close());

/** Sends chats at once with the `fetch` of Node 26, and returns how they ended. */
async function chats(count: number): Promise<string> {
  const { stdout } = await execute(
    join(app, 'node_modules/node/bin/node'),
    ['http2.js', String(count)],
    {
      cwd: app,
      env: {
        ...process.env,
        NODE_EXTRA_CA_CERTS: 'ca.pem',
        POLYGATE_API_KEY: gateway.mock.apiKey,
        POLYGATE_BASE_URL: gateway.baseURL,
      },
    },
  );
  return stdout.trim();
}

const reset =
  (code: number): Http2Fault =>
  (stream) =>
    stream.close(code);
const goAwayBefore: Http2Fault = (stream, session) =>
  session.goaway(constants.NGHTTP2_NO_ERROR, Number(stream.id) - 2);

describe("Node 26's fetch over HTTP/2", () => {
  test('100 chats at once are each charged once, over few connections', async () => {
    const before = gateway.sessions.length;
    expect(await chats(100)).toBe('charged');
    expect(gateway.mock.invoice.length - charges).toBe(100);
    expect(gateway.sessions.length - before).toBeLessThan(10);
  });

  test.each([
    ['a refused stream', reset(constants.NGHTTP2_REFUSED_STREAM)],
    ['a stream above the last one of a GOAWAY', goAwayBefore],
  ])('%s was not processed, so the chat is sent again', async (_, fault) => {
    gateway.fail(fault);
    expect(await chats(1)).toBe('charged');
    expect(gateway.mock.invoice.length - charges).toBe(1);
    expect(gateway.posts() - posts).toBe(2);
  });

  test.each<[string, Http2Fault]>([
    ['reset with INTERNAL_ERROR', reset(constants.NGHTTP2_INTERNAL_ERROR)],
    ['reset with CANCEL', reset(constants.NGHTTP2_CANCEL)],
    ['reset with ENHANCE_YOUR_CALM', reset(constants.NGHTTP2_ENHANCE_YOUR_CALM)],
    ['lost with its connection', (_, session) => session.destroy()],
    [
      'accepted before a GOAWAY and then lost',
      (stream, session) => {
        session.goaway(constants.NGHTTP2_NO_ERROR, Number(stream.id));
        setImmediate(() => session.destroy());
      },
    ],
  ])('a stream that is %s may have been processed, and is sent once', async (_, fault) => {
    gateway.fail(fault);
    expect(await chats(1)).toBe('unknown');
    expect(gateway.posts() - posts).toBe(1);
    expect(gateway.mock.invoice.length - charges).toBe(0);
  });
});

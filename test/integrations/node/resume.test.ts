import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import { saveTo } from 'polygate/node';
import type { SaveToOptions } from 'polygate/node';
import { describe, expect, test } from 'vitest';

import { ConnectionError, Polygate, ResponseValidationError } from '../../../src/index.ts';
import type {
  DownloadProgress,
  Generation,
  PolygateOptions,
  TaskHandle,
} from '../../../src/index.ts';
import { baseURL, clientOf, jsonReply, scripted } from '../../client/support.ts';
import { fileBytes, fileServer } from '../../support/file-server.ts';
import type { FileServer, FileServerOptions } from '../../support/file-server.ts';
import { rejection } from '../../support/rejection.ts';
import { emptyFolder, noPause, onNetwork } from './support.ts';

const thirdOf = 30_000;
const etag = { etag: '"v1"' };
const rest = { url: '/film.mp4', range: `bytes=${thirdOf}-` };
const all = { url: '/film.mp4' };

const clientFor = (options: PolygateOptions = {}): Polygate =>
  clientOf(options.fetch ?? fetch, { allowInsecureBaseURL: true, ...options });

/** Saves to `film.mp4` in a new folder, and returns its bytes. */
async function save(
  gateway: Polygate,
  server: FileServer,
  source: string | Generation | TaskHandle = server.url,
  options: SaveToOptions = {},
) {
  const folder = await emptyFolder();
  const { onProgress } = server;
  const merged = { ...noPause, onProgress, ...options };
  const saved = await saveTo(gateway, source, folder.file('film.mp4'), merged);
  expect(await folder.names()).toEqual(['film.mp4']);
  const bytes = new Uint8Array(await readFile(folder.file('film.mp4')));
  expect(saved.bytes).toBe(bytes.length);
  expect(saved.mediaType).toBe('video/mp4');
  return bytes;
}

/** The error that saving rejects with, after which the folder must be empty. */
async function failure<Failure extends Error>(
  kind: abstract new (...args: never[]) => Failure,
  gateway: Polygate,
  { url, onProgress }: FileServer,
  options: SaveToOptions = {},
) {
  const folder = await emptyFolder();
  const path = folder.file('film.mp4');
  const saving = saveTo(gateway, url, path, { ...noPause, onProgress, ...options });
  const error = await rejection(kind, saving);
  expect(await folder.names()).toEqual([]);
  return error;
}

/** Serves a part whose headers are wrong. */
const partWith =
  (headers: Record<string, string>): FileServerOptions['answer'] =>
  (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.range === undefined) return false;
    response.writeHead(206, { 'content-type': 'video/mp4', ...headers });
    response.end(fileBytes.subarray(thirdOf));
    return true;
  };

describe('after a reset of the connection at 30 %', () => {
  test('only the rest is requested, on condition that the file has not changed', async () => {
    const server = await fileServer({ headers: etag, breakAt: [thirdOf] });
    const progress: number[] = [];
    const totals = new Set<number | undefined>();
    const onProgress = ({ bytes, total }: DownloadProgress) => {
      progress.push(bytes);
      totals.add(total);
      server.onProgress({ bytes });
    };
    expect(await save(clientFor(), server, server.url, { onProgress })).toEqual(fileBytes);
    expect(server.requests).toEqual([all, { ...rest, ifRange: '"v1"' }]);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(fileBytes.length);
    expect([...totals]).toEqual([fileBytes.length]);
  });

  test('and again at 60 %, the download continues twice', async () => {
    const server = await fileServer({ headers: etag, breakAt: [thirdOf, 60_000] });
    expect(await save(clientFor(), server)).toEqual(fileBytes);
    expect(server.requests.map(({ range }) => range)).toEqual([
      undefined,
      'bytes=30000-',
      'bytes=60000-',
    ]);
  });

  test.each([
    [{ 'last-modified': 'Sun, 22 Nov 2026 10:00:00 GMT' }, 'Sun, 22 Nov 2026 10:00:00 GMT'],
    [{ etag: 'W/"v1"' }, undefined],
    [{}, undefined],
  ])('a file with the headers %j is requested with If-Range: %s', async (headers, ifRange) => {
    const server = await fileServer({ headers, breakAt: [thirdOf] });
    expect(await save(clientFor(), server)).toEqual(fileBytes);
    expect(server.requests).toEqual([all, ifRange === undefined ? rest : { ...rest, ifRange }]);
  });

  test.each([
    ['the server does not support ranges', { ranges: false }],
    ['the server declares that it does not', { headers: { 'accept-ranges': 'none' } }],
  ])('the download starts over if %s', async (_, options) => {
    const server = await fileServer({ ...options, breakAt: [thirdOf] });
    expect(await save(clientFor(), server)).toEqual(fileBytes);
    expect(server.requests).toHaveLength(2);
  });

  test('the download of a compressed file starts over', async () => {
    const headers = { 'content-encoding': 'gzip', ...etag };
    const body = gzipSync(fileBytes);
    const server = await fileServer({ body, headers, breakAt: [body.length - 5] });
    const onProgress = () => server.reset();
    expect(await save(clientFor(), server, server.url, { onProgress })).toEqual(fileBytes);
    expect(server.requests).toEqual([all, all]);
  });

  test('a longer file that starts over leaves nothing behind in a shorter one', async () => {
    const server = await fileServer({
      headers: etag,
      breakAt: [thirdOf],
      answer: (_, response, index) => {
        if (index > 0) response.writeHead(200, { 'content-type': 'video/mp4' }).end('short');
        return index > 0;
      },
    });
    expect(new TextDecoder().decode(await save(clientFor(), server))).toBe('short');
  });

  test('the connection is given up after maxRetries, and nothing is left', async () => {
    const server = await fileServer({
      headers: etag,
      breakAt: [thirdOf, 40_000, 50_000, 60_000],
    });
    const error = await failure(ConnectionError, clientFor(), server, { maxRetries: 2 });
    expect(error.message).toContain('interrupted');
    expect(server.requests).toHaveLength(3);
  });
});

describe('the rest of the file', () => {
  const size = fileBytes.length;
  const contentRange = `bytes ${thirdOf}-${size - 1}/${size}`;

  test.each([
    ['another ETag', { 'content-range': contentRange, etag: '"v2"' }],
    ['another size', { 'content-range': `bytes ${thirdOf}-${size - 1}/${size + 1}` }],
  ])('with %s belongs to another file: the download starts over', async (_, headers) => {
    const answer = partWith(headers);
    const server = await fileServer({
      headers: etag,
      breakAt: [thirdOf],
      ...(answer && { answer }),
    });
    expect(await save(clientFor(), server)).toEqual(fileBytes);
    expect(server.requests).toEqual([all, { ...rest, ifRange: '"v1"' }, all]);
  });

  test('with a Content-Range that was not requested is an error', async () => {
    const answer = partWith({ 'content-range': `bytes 0-${size - 1}/${size}` });
    const server = await fileServer({
      headers: etag,
      breakAt: [thirdOf],
      ...(answer && { answer }),
    });
    const error = await failure(ResponseValidationError, clientFor(), server);
    expect(error.message).toContain('content-range');
    expect(server.requests).toHaveLength(2);
  });

  test('may be nothing, if the size was unknown and the connection broke at the end', async () => {
    const server = await fileServer({
      headers: etag,
      sized: false,
      breakAt: [size],
      answer: (_, response, index) => {
        if (index > 0) response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
        return index > 0;
      },
    });
    expect(await save(clientFor(), server)).toEqual(fileBytes);
    expect(server.requests.map(({ range }) => range)).toEqual([undefined, `bytes=${size}-`]);
  });

  test('with another date belongs to another file, even if the server ignores If-Range', async () => {
    const dates = ['Sun, 22 Nov 2026 10:00:00 GMT', 'Sun, 22 Nov 2026 11:00:00 GMT'] as const;
    const answer = partWith({ 'content-range': contentRange, 'last-modified': dates[1] });
    const headers = { 'last-modified': dates[0] };
    const server = await fileServer({ headers, breakAt: [thirdOf], ...(answer && { answer }) });
    expect(await save(clientFor(), server)).toEqual(fileBytes);
    expect(server.requests).toEqual([all, { ...rest, ifRange: dates[0] }, all]);
  });

  test('that comes in parts of unknown total size is requested up to the size of the file', async () => {
    const server = await fileServer({
      headers: etag,
      breakAt: [thirdOf],
      answer: ({ headers }, response) => {
        const start = Number(/\d+/.exec(headers.range ?? '')?.[0]);
        if (!start) return false;
        const end = Math.min(size, start + 40_000);
        response.writeHead(206, { 'content-range': `bytes ${start}-${end - 1}/*` });
        response.end(fileBytes.subarray(start, end));
        return true;
      },
    });
    expect(await save(clientFor(), server)).toEqual(fileBytes);
  });

  test.each([20_000, thirdOf])(
    'that a file of %d bytes does not have means another file: the download starts over',
    async (otherSize) => {
      const server = await fileServer({
        headers: etag,
        breakAt: [thirdOf],
        answer: (request, response) => {
          if (request.headers.range === undefined) return false;
          response.writeHead(416, { 'content-range': `bytes */${otherSize}` }).end();
          return true;
        },
      });
      expect(await save(clientFor(), server)).toEqual(fileBytes);
      expect(server.requests).toHaveLength(3);
    },
  );
});

/** A server that stops sending, and a client on the system clock: virtual time would run ahead of the bytes. */
async function stalling(times: number) {
  const breakAt = Array.from({ length: times }, () => thirdOf);
  const server = { ...(await fileServer({ headers: etag, breakAt })), onProgress: () => undefined };
  const options = { apiKey: null, baseURL, allowInsecureBaseURL: true, streamIdleTimeout: 300 };
  return { server, gateway: new Polygate(options) };
}

test('a body that stalls is continued after streamIdleTimeout', async () => {
  const { server, gateway } = await stalling(1);
  expect(await save(gateway, server)).toEqual(fileBytes);
  expect(server.requests).toEqual([all, { ...rest, ifRange: '"v1"' }]);
});

test('a body that keeps stalling is an error', async () => {
  const { server, gateway } = await stalling(9);
  const error = await failure(ConnectionError, gateway, server, { maxRetries: 1 });
  expect(error.message).toContain('streamIdleTimeout');
  expect(server.requests).toHaveLength(2);
});

describe('an expired URL', () => {
  /** A task whose URL the file server rejects once the connection has broken, and whose fresh URL is another one. */
  async function expiring(serverOptions: FileServerOptions) {
    const server = await fileServer({
      breakAt: [thirdOf],
      ...serverOptions,
      answer: (request, response, index) => {
        if (index === 0 || request.url?.includes('fresh')) return false;
        response.writeHead(403).end();
        return true;
      },
    });
    const record = { id: 'task_1', status: 'completed', video_url: server.url };
    const { fetch: poll } = scripted(
      jsonReply(200, record),
      jsonReply(200, { ...record, video_url: `${server.url}?fresh` }),
    );
    const gateway = clientFor({ fetch: onNetwork(server.url, poll) });
    return { server, gateway, task: gateway.videos.task('task_1') };
  }
  const fresh = { url: '/film.mp4?fresh' };

  test('between two parts is renewed, and the rest comes from the fresh one', async () => {
    const { server, gateway, task } = await expiring({ headers: etag });
    expect(await save(gateway, server, task)).toEqual(fileBytes);
    const condition = { range: rest.range, ifRange: '"v1"' };
    expect(server.requests).toEqual([all, { ...rest, ...condition }, { ...fresh, ...condition }]);
  });

  test('is renewed, and the download starts over if nothing proves that the file is the same', async () => {
    const { server, gateway, task } = await expiring({});
    expect(await save(gateway, server, task)).toEqual(fileBytes);
    expect(server.requests).toEqual([all, rest, { ...fresh, range: rest.range }, fresh]);
  });
});

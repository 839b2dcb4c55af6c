import { gzipSync } from 'node:zlib';

import { describe, expect, test, vi } from 'vitest';

import {
  AbortedError,
  ConfigurationError,
  ConnectionError,
  RequestTimeoutError,
  ResponseValidationError,
} from '../../../src/index.ts';
import type { DownloadOptions, DownloadProgress } from '../../../src/index.ts';
import { fileServer } from '../../support/file-server.ts';
import { rejection } from '../../support/rejection.ts';
import {
  caught,
  clientOf,
  jsonReply,
  scripted,
  streamReply,
  textReply,
  turns,
  virtualClock,
  WatchedClock,
} from '../support.ts';
import type { Reply } from '../support.ts';

const url = 'https://files.example/film.mp4';
const never = () => new Promise<void>(() => undefined);
const video = (headers: Record<string, string> = {}): ResponseInit => ({
  headers: { 'content-type': 'video/mp4', ...headers },
});
/** A response with this text, of which `content-length` and other headers may say something else. */
const reply =
  (body: string, headers: Record<string, string> = {}, status = 200): Reply =>
  () =>
    new Response(body, { status, headers });

describe('the body of a download that stalls', () => {
  test('fails with ConnectionError after streamIdleTimeout, and the connection is closed', async () => {
    const clock = virtualClock();
    const canceled = vi.fn<() => void>();
    const { fetch } = scripted(streamReply('frames', () => never() as never, video(), canceled));
    const gateway = clientOf(fetch, { clock, streamIdleTimeout: 9_000 });
    const response = await gateway.download(url);
    const since = clock.now();
    const error = await rejection(ConnectionError, clock.settle(response.text()));
    expect(clock.now() - since).toBe(9_000);
    expect(error).not.toBeInstanceOf(RequestTimeoutError);
    expect(error.message).toMatch(/for free: no data received for 9000 ms \(streamIdleTimeout\)/);
    expect(error.message).toContain('free');
    expect(error.message).not.toContain('files.example');
    expect(canceled).toHaveBeenCalledOnce();
  });

  test('does not fail while bytes keep arriving', async () => {
    const clock = virtualClock();
    let pieces = 0;
    const body = () =>
      new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            await clock.sleep(8_000);
            pieces += 1;
            if (pieces > 5) controller.close();
            else controller.enqueue(new Uint8Array(1));
          },
        },
        { highWaterMark: 0 },
      );
    const { fetch } = scripted(() => new Response(body()));
    const gateway = clientOf(fetch, { clock, streamIdleTimeout: 9_000 });
    const response = await gateway.download(url);
    expect((await clock.settle(response.bytes())).length).toBe(5);
  });

  test('does not fail while the consumer pauses between two reads', async () => {
    const clock = virtualClock();
    const { fetch } = scripted(streamReply('frames', (controller) => controller.close()));
    const gateway = clientOf(fetch, { clock, streamIdleTimeout: 9_000 });
    const reader = (await gateway.download(url)).body?.getReader();
    await clock.advance(60_000);
    expect((await reader?.read())?.done).toBe(false);
    await clock.advance(60_000);
    expect((await reader?.read())?.done).toBe(true);
  });

  test('leaves no timer behind once it has ended', async () => {
    const clock = new WatchedClock();
    const gateway = clientOf(scripted(reply('frames')).fetch, { clock });
    await (await gateway.download(url)).text();
    await (await gateway.download(url)).body?.cancel();
    const reader = (await gateway.download(url)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await turns();
    expect(clock.sleeps.length).toBeGreaterThan(3);
    expect(clock.pending).toBe(0);
  });
});

describe('the body of a download that breaks off', () => {
  test('fails with ConnectionError after a reset of the connection', async () => {
    const server = await fileServer({ breakAt: [30_000] });
    const gateway = clientOf(fetch, { allowInsecureBaseURL: true });
    const { onProgress } = server;
    const response = await gateway.download(server.url, { onProgress });
    const error = await rejection(ConnectionError, response.bytes());
    expect(error.outcome).toBe('unknown');
    expect(error.message).toMatch(
      /^The download was interrupted and can be repeated for free: .+\. \[GET result URL\]$/,
    );
    expect(error.cause).toMatchObject({ name: 'NetworkError' });
  });

  test('fails if it is shorter than its content-length', async () => {
    const { fetch } = scripted(reply('frames', { 'content-length': '10' }));
    const error = await rejection(ConnectionError, (await clientOf(fetch).download(url)).text());
    expect(error.message).toContain('it ended after 6 of 10 bytes');
  });

  test.each([
    [{ 'content-length': '10', 'content-encoding': 'gzip' }],
    [{ 'content-length': 'ten' }],
    [{}],
  ])('is not compared with the headers %j, which do not give its size', async (headers) => {
    const { fetch } = scripted(reply('frames', headers));
    expect(await (await clientOf(fetch).download(url)).text()).toBe('frames');
  });

  test('carries the task whose result it is', async () => {
    const record = { id: 'task_1', status: 'completed', video_url: url };
    const { fetch } = scripted(jsonReply(200, record), reply('frames', { 'content-length': '10' }));
    const gateway = clientOf(fetch);
    const task = gateway.videos.task('task_1');
    const error = await caught((await gateway.download(task)).text());
    expect(error['task']).toBe(task);
    expect(await caught(gateway.download(task, { index: 7 }))).toHaveProperty('task', task);
  });

  test('carries a task for a generation, too', async () => {
    const record = { id: 'task_1', status: 'completed', video_url: url };
    const { fetch } = scripted(jsonReply(200, record), textReply(500, 'no'));
    const gateway = clientOf(fetch);
    const done = await gateway.videos.retrieve('task_1');
    expect(await caught(gateway.download(done))).toHaveProperty('task.id', 'task_1');
  });
});

describe('maxBytes', () => {
  test('fails with ResponseValidationError, and stops receiving', async () => {
    const canceled = vi.fn<() => void>();
    const { fetch } = scripted(streamReply('frames', () => never() as never, {}, canceled));
    const response = await clientOf(fetch).download(url, { maxBytes: 5 });
    const error = await rejection(ResponseValidationError, response.text());
    expect(error.message).toBe('The result is larger than maxBytes (5).');
    expect(canceled).toHaveBeenCalledOnce();
  });

  test('does not advise to wait for a task, which has succeeded', async () => {
    const record = { id: 'task_1', status: 'completed', video_url: url };
    const { fetch } = scripted(jsonReply(200, record), reply('frames'));
    const gateway = clientOf(fetch);
    const task = gateway.videos.task('task_1');
    const response = await gateway.download(task, { maxBytes: 5 });
    const error = await rejection(ResponseValidationError, response.text());
    expect(error.message).toBe('The result is larger than maxBytes (5).');
    expect(error.task).toBe(task);
  });
});

describe('the body of a download that is aborted', () => {
  test('fails with an AbortedError that carries the reason and the task', async () => {
    const record = { id: 'task_1', status: 'completed', video_url: url };
    const stalled = streamReply('frames', () => never() as never, video());
    const { fetch } = scripted(jsonReply(200, record), stalled);
    const gateway = clientOf(fetch);
    const task = gateway.videos.task('task_1');
    const stop = new AbortController();
    const response = await gateway.download(task, { signal: stop.signal });
    const reading = rejection(AbortedError, response.text());
    const reason = new Error('the user left');
    stop.abort(reason);
    const error = await reading;
    expect(error.cause).toBe(reason);
    expect(error.outcome).toBeUndefined();
    expect(error.task).toBe(task);
  });
});

describe('onProgress', () => {
  async function progressOf(answer: Reply, options: DownloadOptions = {}) {
    const reports: DownloadProgress[] = [];
    const { fetch } = scripted(answer);
    const onProgress = (progress: DownloadProgress) => void reports.push(progress);
    await (await clientOf(fetch).download(url, { ...options, onProgress })).bytes();
    return reports;
  }
  const pieces =
    (headers: Record<string, string>): Reply =>
    () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const text of ['fra', 'mes']) controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        },
      });
      return new Response(body, { headers });
    };

  test('receives the bytes so far and the total', async () => {
    expect(await progressOf(pieces({ 'content-length': '6' }))).toEqual([
      { bytes: 3, total: 6 },
      { bytes: 6, total: 6 },
    ]);
  });

  test('receives no total if the server does not send one, or sends that of the compressed file', async () => {
    const unknown = [
      { bytes: 3, total: undefined },
      { bytes: 6, total: undefined },
    ];
    expect(await progressOf(pieces({}))).toEqual(unknown);
    const compressed = { 'content-length': '40', 'content-encoding': 'gzip' };
    expect(await progressOf(pieces(compressed))).toEqual(unknown);
  });

  test('counts decoded bytes of a compressed file', async () => {
    const body = 'frames'.repeat(1_000);
    const server = await fileServer({
      body: gzipSync(body),
      headers: { 'content-encoding': 'gzip' },
    });
    const reports: DownloadProgress[] = [];
    const gateway = clientOf(fetch, { allowInsecureBaseURL: true });
    const response = await gateway.download(server.url, {
      onProgress: (progress) => void reports.push(progress),
    });
    expect(await response.text()).toBe(body);
    expect(reports.at(-1)).toEqual({ bytes: 6_000, total: undefined });
  });

  test.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('broken'))],
  ])('is logged and breaks nothing if it %s', async (_, onProgress) => {
    const logged: string[] = [];
    const ignore = () => undefined;
    const error = (message: string) => void logged.push(message);
    const logger = { error, warn: ignore, info: ignore, debug: ignore };
    const { fetch } = scripted(reply('frames'));
    const gateway = clientOf(fetch, { logger, logLevel: 'error' });
    const response = await gateway.download(url, { onProgress });
    expect(await response.text()).toBe('frames');
    await turns();
    expect(logged).toEqual(['polygate: onProgress threw: broken']);
  });

  test('must be a function', async () => {
    const { fetch, sent } = scripted(reply('frames'));
    const options = { onProgress: 'yes' } as unknown as DownloadOptions;
    const error = await rejection(ConfigurationError, clientOf(fetch).download(url, options));
    expect(error.message).toBe('onProgress: must be a function.');
    expect(sent).toEqual([]);
  });
});

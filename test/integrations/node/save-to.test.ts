import { mkdir, readFile, symlink, writeFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

import { saveTo } from 'polygate/node';
import { describe, expect, test, vi } from 'vitest';

import {
  AbortedError,
  APIError,
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  ResponseValidationError,
} from '../../../src/index.ts';
import type { DownloadProgress, Generation } from '../../../src/index.ts';
import {
  caught,
  clientOf,
  jsonReply,
  onMock,
  scripted,
  textReply,
  turns,
} from '../../client/support.ts';
import { fileBytes, fileServer } from '../../support/file-server.ts';
import { rejection } from '../../support/rejection.ts';
import { emptyFolder, noPause, onNetwork } from './support.ts';

const url = 'https://files.example/film.mp4';
const frames = textReply(200, 'frames', 'Video/MP4; codecs=avc1');
const record = { id: 'task_1', status: 'completed', video_url: url };

describe('saveTo() writes', () => {
  test.each(['URL', 'generation', 'task'] as const)('the file of a %s', async (kind) => {
    const folder = await emptyFolder();
    const path = folder.file('film.mp4');
    const { gateway, mock } = onMock();
    const task = await gateway.videos.submit({ model: 'tide-video', prompt: 'A harbor' });
    const done: Generation = await mock.clock.settle(task.wait());
    const source = { URL: done.urls[0] ?? '', generation: done, task }[kind];
    const saved = await saveTo(gateway, source, path);
    const expected = await (await gateway.download(done)).bytes();
    expect(saved).toMatchObject({ path, bytes: expected.byteLength, mediaType: 'video/mp4' });
    expect(new Uint8Array(await readFile(path))).toEqual(expected);
    expect(await folder.names()).toEqual(['film.mp4']);
  });

  test('the file of a generation whose URL has expired', async () => {
    const folder = await emptyFolder();
    const { gateway, mock } = onMock({ tasks: { resultTtlMs: 60_000 } });
    const task = await gateway.videos.submit({ model: 'tide-video', prompt: 'A harbor' });
    const done = await mock.clock.settle(task.wait());
    await mock.clock.advance(120_000);
    expect((await saveTo(gateway, done, folder.file('film.mp4'))).bytes).toBeGreaterThan(100);
    expect(mock.requests.map(({ status }) => status).slice(-3)).toEqual([410, 200, 200]);
  });

  test('the content of a data URL', async () => {
    const folder = await emptyFolder();
    const gateway = clientOf((input, init) => fetch(input, init));
    const path = folder.file('note.txt');
    const saved = await saveTo(gateway, 'data:text/plain;base64,QWhveQ==', path);
    expect(saved).toMatchObject({ path, bytes: 4, mediaType: 'text/plain' });
    expect(await readFile(path, 'utf8')).toBe('Ahoy');
  });

  test('an empty file, and reports no media type if the server sends none', async () => {
    const folder = await emptyFolder();
    const { fetch } = scripted(() => new Response(null));
    const path = folder.file('empty');
    const saved = await saveTo(clientOf(fetch), url, path);
    expect(saved).toEqual({ path, bytes: 0, mediaType: undefined, complete: 'unverified' });
    expect(await readFile(path, 'utf8')).toBe('');
  });

  test('over an existing file, and through a symbolic link', async () => {
    const folder = await emptyFolder();
    await writeFile(folder.file('film.mp4'), 'an old and longer film');
    await symlink('film.mp4', folder.file('latest.mp4'));
    const gateway = clientOf(scripted(frames).fetch);
    const saved = await saveTo(gateway, url, folder.file('latest.mp4'));
    expect(saved).toMatchObject({ path: folder.file('latest.mp4'), bytes: 6 });
    expect(await readFile(folder.file('film.mp4'), 'utf8')).toBe('frames');
    expect(await readlink(folder.file('latest.mp4'))).toBe('film.mp4');
    expect(await folder.names()).toEqual(['film.mp4', 'latest.mp4']);
  });

  test('nothing under the final name until the file is complete', async () => {
    const folder = await emptyFolder();
    const server = await fileServer();
    const gateway = clientOf(fetch, { allowInsecureBaseURL: true });
    const seen = new Set<string>();
    const reports: DownloadProgress[] = [];
    await saveTo(gateway, server.url, folder.file('film.mp4'), {
      onProgress: (progress) => {
        reports.push(progress);
        for (const name of folder.namesNow()) seen.add(name);
      },
    });
    expect([...seen]).toEqual([expect.stringMatching(/^\.polygate-[\w-]+\.part$/)]);
    expect(reports.at(-1)).toEqual({ bytes: fileBytes.length, total: fileBytes.length });
    expect(await folder.names()).toEqual(['film.mp4']);
  });
});

describe('saveTo() leaves an existing file as it is, and no temporary file,', () => {
  const failures = {
    'after an error response': [textReply(404, 'no'), NotFoundError, {}],
    'after a blocked redirect': [
      () => new Response(null, { status: 302, headers: { location: 'https://10.0.0.1/' } }),
      ConfigurationError,
      {},
    ],
    'if the server keeps sending a page with status 200': [
      textReply(200, '<!doctype html><title>Down</title>', 'video/mp4'),
      ResponseValidationError,
      {},
    ],
    'if the server keeps sending nothing': [
      () => new Response(null, { headers: { 'content-length': '0' } }),
      ResponseValidationError,
      {},
    ],
    'if the file exceeds maxBytes': [frames, ResponseValidationError, { maxBytes: 5 }],
    'if there is no such result': [frames, ConfigurationError, { index: 3 }],
    'if the file stays shorter than announced': [
      () => new Response('frames', { headers: { 'content-length': '60' } }),
      ConnectionError,
      {},
    ],
  } as const;

  test.each(Object.entries(failures))('%s', async (_, [reply, kind, options]) => {
    const folder = await emptyFolder();
    await writeFile(folder.file('film.mp4'), 'old');
    const gateway = clientOf(scripted(jsonReply(200, record), reply).fetch);
    const task = gateway.videos.task('task_1');
    const saving = saveTo(gateway, task, folder.file('film.mp4'), { ...noPause, ...options });
    const error = await rejection<Error>(kind, saving);
    expect(error).toHaveProperty('task', task);
    expect(await readFile(folder.file('film.mp4'), 'utf8')).toBe('old');
    expect(await folder.names()).toEqual(['film.mp4']);
  });

  test('after an abort', async () => {
    const folder = await emptyFolder();
    const server = await fileServer({ breakAt: [30_000] });
    const { fetch: poll } = scripted(jsonReply(200, { ...record, video_url: server.url }));
    const gateway = clientOf(onNetwork(server.url, poll), { allowInsecureBaseURL: true });
    const stop = new AbortController();
    const reason = new Error('enough');
    const task = gateway.videos.task('task_1');
    const onProgress = () => stop.abort(reason);
    const { signal } = stop;
    const saving = saveTo(gateway, task, folder.file('film.mp4'), { onProgress, signal });
    expect(await rejection(AbortedError, saving)).toMatchObject({ cause: reason, task });
    expect(await folder.names()).toEqual([]);
  });

  test('after an abort between two retries', async () => {
    const folder = await emptyFolder();
    const stop = new AbortController();
    const reason = new Error('enough');
    const { fetch, sent } = scripted(textReply(503, 'busy'));
    const clock = {
      sleep: async () => {
        stop.abort(reason);
        throw reason;
      },
    };
    const saving = saveTo(clientOf(fetch), url, folder.file('film.mp4'), {
      clock,
      signal: stop.signal,
    });
    expect((await rejection(AbortedError, saving)).cause).toBe(reason);
    expect(sent).toHaveLength(1);
    expect(await folder.names()).toEqual([]);
  });
});

describe('saveTo() rejects before it downloads', () => {
  async function attempt(name: string, options = {}) {
    const folder = await emptyFolder();
    await mkdir(folder.file('folder'));
    await writeFile(folder.file('file'), '');
    const { fetch, sent } = scripted(frames);
    const path = name.startsWith('/') ? name : `${folder.path}/${name}`;
    const error = await caught(saveTo(clientOf(fetch), url, name && path, options));
    expect(sent).toEqual([]);
    expect(await folder.names()).toEqual(['file', 'folder']);
    return error;
  }

  test.each(['folder', 'folder/', 'missing/', 'file/', '', '/dev/null'])(
    'the path "%s", which is not that of a file',
    async (name) => {
      const error = await attempt(name);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toMatch(
        /^path: .* is not a regular file\. .* Nothing was downloaded\./,
      );
    },
  );

  test.each(['missing/film.mp4', 'file/film.mp4'])(
    'the path "%s", whose folder does not exist',
    async (name) => {
      const error = await attempt(name);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toMatch(/^path: the folder .* does not exist\./);
      expect(error.cause).toHaveProperty('code');
    },
  );

  test('a name that is too long, with the error of the file system', async () => {
    expect(await attempt('x'.repeat(300))).toMatchObject({ code: 'ENAMETOOLONG' });
  });

  test.each([-1, 0.5, Number.NaN, '3'])('maxRetries: %s', async (maxRetries) => {
    const error = await attempt('film.mp4', { maxRetries });
    expect(error.message).toBe('maxRetries: must be a non-negative integer.');
  });

  test('options that gateway.download rejects', async () => {
    expect((await attempt('film.mp4', { index: -1 })).message).toContain('index');
  });

  test.each([
    ['maxRetry', 'Did you mean maxRetries?'],
    ['range', 'unknown option'],
  ])('the unknown option %s', async (name, hint) => {
    const error = await attempt('film.mp4', { [name]: 3 });
    expect(error.message).toContain(`${name}: unknown option.`);
    expect(error.message).toContain(hint);
  });
});

describe('saveTo() retries', () => {
  test('a refused request, with growing delays, and then throws its error', async () => {
    const folder = await emptyFolder();
    const { fetch, sent } = scripted(textReply(503, 'busy'));
    const delays: number[] = [];
    const clock = { sleep: async (ms: number) => void delays.push(ms) };
    const path = join(folder.path, 'film.mp4');
    const error = await rejection(APIError, saveTo(clientOf(fetch), url, path, { clock }));
    expect(error.status).toBe(503);
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
    expect(sent).toHaveLength(6);
  });

  test.each([0, 2])('maxRetries: %d times', async (maxRetries) => {
    const folder = await emptyFolder();
    const { fetch, sent } = scripted(textReply(429, 'busy'));
    const options = { ...noPause, maxRetries };
    const saving = saveTo(clientOf(fetch), url, folder.file('film.mp4'), options);
    await rejection(APIError, saving);
    expect(sent).toHaveLength(maxRetries + 1);
  });

  test('after a delay on the system clock, which an abort ends', async () => {
    const folder = await emptyFolder();
    const stop = new AbortController();
    const { fetch, sent } = scripted(textReply(500, 'broken'));
    const { signal } = stop;
    const saving = caught(saveTo(clientOf(fetch), url, folder.file('film.mp4'), { signal }));
    await vi.waitUntil(() => sent.length > 0);
    await turns();
    stop.abort();
    expect(await saving).toBeInstanceOf(AbortedError);
    expect(sent).toHaveLength(1);
  });
});

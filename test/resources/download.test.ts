import { describe, expect, test } from 'vitest';

import {
  AbortedError,
  APIError,
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  PermissionDeniedError,
  RequestTimeoutError,
} from '../../src/index.ts';
import type { Generation } from '../../src/index.ts';
import {
  jsonReply,
  caught,
  clientOf,
  hang,
  onMock,
  reset,
  scripted,
  textReply,
} from '../client/support.ts';
import type { Reply } from '../client/support.ts';
import { rejection } from '../support/rejection.ts';

const url = 'https://files.example/film.mp4';
const bytes = textReply(200, 'frames', 'video/mp4');
const to = (location: string, status = 302): Reply => {
  return () => new Response('moved', { status, headers: { location } });
};
/** A finished task of this kind with these URLs, as `retrieve` returns it. */
const generation = (
  urls: [string, ...string[]],
  kind: Generation['kind'] = 'video',
): Generation => ({
  id: 'task_1',
  kind,
  status: 'succeeded',
  rawStatus: 'completed',
  urls,
  raw: {} as Generation['raw'],
});

describe('gateway.download()', () => {
  test.each(['image', 'video', 'audio'] as const)(
    'downloads the file of a finished %s',
    async (kind) => {
      const { gateway, mock } = onMock();
      const generators = {
        image: () => gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' }),
        video: () => gateway.videos.generate({ model: 'tide-video', prompt: 'A harbor' }),
        audio: () => gateway.audio.music.generate({ model: 'anthem-music', prompt: 'A shanty' }),
      };
      const done: Generation = await mock.clock.settle(
        Promise.resolve<Generation>(generators[kind]()),
      );
      const response = await gateway.download(done);
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
      const direct = await gateway.download(done.urls[0]);
      expect(direct.headers.get('content-type')).toBe(response.headers.get('content-type'));
      await direct.body?.cancel();
    },
  );

  test('sends neither credentials nor client headers', async () => {
    const { fetch, sent } = scripted(bytes);
    const gateway = clientOf(fetch, {
      headers: { 'x-team': 'harbor', Cookie: 'a=b', 'x-api-key': 'sk-two' },
      apiKey: () => expect.unreachable('the key must not be requested'),
    });
    expect(await (await gateway.download(url)).text()).toBe('frames');
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ url, method: 'GET', body: undefined, redirect: 'manual' });
    expect([...(sent[0]?.headers ?? [])]).toEqual([['accept-encoding', 'identity']]);
  });

  test('fetches the file of a task without an API request or a charge', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.videos.submit({ model: 'tide-video', prompt: 'A harbor' });
    await mock.clock.settle(task.wait());
    mock.clearRecords();
    const response = await gateway.download(task);
    await response.body?.cancel();
    expect(mock.requests.map(({ path }) => path)).toEqual([`/media/${task.id}/1.mp4`]);
    expect(mock.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(mock.invoice).toEqual([]);
  });

  test('downloads the result selected by index', async () => {
    const { fetch, sent } = scripted(bytes);
    const gateway = clientOf(fetch);
    const several = generation([`${url}?1`, `${url}?2`, `${url}?3`]);
    for (const options of [undefined, { index: 0 }, { index: 2 }]) {
      await (await gateway.download(several, options)).body?.cancel();
    }
    expect(sent.map((request) => request.url)).toEqual([`${url}?1`, `${url}?1`, `${url}?3`]);
    await rejection(ConfigurationError, gateway.download(several, { index: 3 }));
    await rejection(ConfigurationError, gateway.download(url, { index: 1 }));
    await rejection(ConfigurationError, gateway.download(several, { index: -1 }));
    await rejection(ConfigurationError, gateway.download(several, { index: 0.5 }));
    expect(sent).toHaveLength(3);
  });

  test('rejects an unfinished task, and polls a task whose status is unknown', async () => {
    const { gateway, mock } = onMock();
    const task = await gateway.images.submit({ model: 'prism-image', prompt: 'A harbor' });
    await rejection(ConfigurationError, gateway.download(task));
    await mock.clock.advance(10_000);
    const response = await gateway.download(gateway.images.task(task.id));
    expect(response.headers.get('content-type')).toContain('image/png');
    await response.body?.cancel();
  });

  test.each([
    [400, APIError],
    [401, APIError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [500, APIError],
    [503, APIError],
  ])(
    'rejects a %i with the matching error class and does not read the body',
    async (status, kind) => {
      const { fetch, sent } = scripted(textReply(status, '<secret>'));
      const error = await rejection(kind, clientOf(fetch).download(url));
      expect(error.status).toBe(status);
      expect(error.message).not.toContain('files.example');
      expect(sent).toHaveLength(1);
    },
  );

  test('rejects with ConnectionError if the connection fails', async () => {
    const error = await rejection(ConnectionError, clientOf(scripted(reset).fetch).download(url));
    expect(error.message).not.toContain('files.example');
  });
});

describe('redirects', () => {
  test('are followed up to three times, always without credentials', async () => {
    const { fetch, sent } = scripted(
      to('https://a.example/1'),
      to('/2', 307),
      to('https://b.example/3', 308),
      bytes,
    );
    const response = await clientOf(fetch).download(url);
    expect(await response.text()).toBe('frames');
    expect(sent.map((request) => request.url)).toEqual([
      url,
      'https://a.example/1',
      'https://a.example/2',
      'https://b.example/3',
    ]);
    for (const { headers } of sent) expect([...headers]).toEqual([['accept-encoding', 'identity']]);
  });

  test('are not followed a fourth time', async () => {
    const { fetch, sent } = scripted(to('https://a.example/'));
    const error = await rejection(APIError, clientOf(fetch).download(url));
    expect(error.status).toBe(302);
    expect(sent).toHaveLength(4);
  });

  test('without a Location header are errors', async () => {
    const { fetch, sent } = scripted(textReply(302, ''));
    const error = await rejection(APIError, clientOf(fetch).download(url));
    expect(error.status).toBe(302);
    expect(sent).toHaveLength(1);
  });

  test.each([
    'http://files.example/film.mp4',
    'https://127.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:10.0.0.1]/',
    'https://user:secret@files.example/',
    'file:///etc/passwd',
    'http://[',
  ])('to %s are rejected without being followed', async (target) => {
    const { fetch, sent } = scripted(to(target), bytes);
    await rejection(ConfigurationError, clientOf(fetch).download(url));
    expect(sent).toHaveLength(1);
  });
});

describe('an expired URL', () => {
  const fresh = { id: 'task_1', status: 'completed', video_url: `${url}?fresh` };

  test.each([403, 404, 410])('is renewed by one poll after a %i', async (status) => {
    const { fetch, sent } = scripted(textReply(status, 'gone'), jsonReply(200, fresh), bytes);
    const response = await clientOf(fetch).download(generation([`${url}?old`]));
    expect(await response.text()).toBe('frames');
    expect(sent.map((request) => request.url)).toEqual([
      `${url}?old`,
      'https://gateway.example/v1/videos/task_1',
      `${url}?fresh`,
    ]);
    expect(sent.map(({ headers }) => headers.has('authorization'))).toEqual([false, true, false]);
  });

  test('is renewed only once', async () => {
    const { fetch, sent } = scripted(
      textReply(410, 'gone'),
      jsonReply(200, fresh),
      textReply(410, 'gone'),
    );
    const error = await rejection(APIError, clientOf(fetch).download(generation([url])));
    expect(error.status).toBe(410);
    expect(sent).toHaveLength(3);
  });

  test.each([400, 401, 500, 503])('is not assumed after a %i', async (status) => {
    const { fetch, sent } = scripted(textReply(status, 'no'));
    await rejection(APIError, clientOf(fetch).download(generation([url])));
    expect(sent).toHaveLength(1);
  });

  test('cannot be renewed if only the URL is known', async () => {
    const { fetch, sent } = scripted(textReply(410, 'gone'));
    await rejection(APIError, clientOf(fetch).download(url));
    expect(sent).toHaveLength(1);
  });

  test('cannot be renewed if the finished response names no task: the error is thrown', async () => {
    const finished = jsonReply(200, { created: 1, data: [{ url }] });
    const { fetch, sent } = scripted(finished, textReply(410, 'gone'));
    const gateway = clientOf(fetch);
    const task = await gateway.images.submit({ model: 'prism-image', prompt: 'A harbor' });
    expect(task.latest).toMatchObject({ status: 'succeeded', urls: [url] });
    for (const source of [task, task.latest]) {
      const error = await rejection(APIError, gateway.download(source));
      expect(error.status).toBe(410);
    }
    expect(sent).toHaveLength(3);
  });

  test('is renewed for a task and for a generation of the reference gateway', async () => {
    const { gateway, mock } = onMock({ tasks: { resultTtlMs: 60_000 } });
    const task = await gateway.videos.submit({ model: 'tide-video', prompt: 'A harbor' });
    const done = await mock.clock.settle(task.wait());
    await mock.clock.advance(120_000);
    expect((await caught(gateway.download(done.urls[0]))).name).toBe('APIError');
    for (const source of [done, gateway.videos.task(task.id), task]) {
      const response = await gateway.download(source);
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
  });
});

describe('maxBytes', () => {
  const long = textReply(200, 'x'.repeat(100));

  test.each([100, 1_000, undefined])('of %s allows 100 bytes', async (maxBytes) => {
    const response = await clientOf(scripted(long).fetch).download(url, { maxBytes });
    expect(await response.text()).toHaveLength(100);
  });

  test.each([99, 0])('of %d ends a body of 100 bytes with an error', async (maxBytes) => {
    const response = await clientOf(scripted(long).fetch).download(url, { maxBytes });
    expect((await caught(response.text())).message).toContain('maxBytes');
  });

  test.each([-1, 1.5, Number.NaN])('of %s is rejected', async (maxBytes) => {
    const { fetch, sent } = scripted(long);
    await rejection(ConfigurationError, clientOf(fetch).download(url, { maxBytes }));
    expect(sent).toEqual([]);
  });
});

describe('a download ends early', () => {
  test('with AbortedError on an abort before or during the request', async () => {
    const reason = new Error('the user left');
    const { fetch, sent } = scripted(hang);
    const gateway = clientOf(fetch);
    const early = gateway.download(url, { signal: AbortSignal.abort(reason) });
    expect((await rejection(AbortedError, early)).cause).toBe(reason);
    const stop = new AbortController();
    const late = rejection(AbortedError, gateway.download(url, { signal: stop.signal }));
    stop.abort(reason);
    expect((await late).cause).toBe(reason);
    expect(sent.length).toBeLessThanOrEqual(1);
  });

  test('with RequestTimeoutError if no headers arrive', async () => {
    const { mock } = onMock();
    const { fetch } = scripted(hang);
    const gateway = clientOf(fetch, { clock: mock.clock, timeout: 7_000 });
    const since = mock.clock.now();
    await rejection(RequestTimeoutError, mock.clock.settle(gateway.download(url)));
    expect(mock.clock.now() - since).toBe(7_000);
  });
});

import { describe, expect, test, vi } from 'vitest';

import {
  ConfigurationError,
  ConnectionError,
  ResponseValidationError,
} from '../../../src/index.ts';
import type { DownloadOptions, DownloadProgress } from '../../../src/index.ts';
import { rejection } from '../../support/rejection.ts';
import { clientOf, jsonReply, scripted, streamReply, textReply } from '../support.ts';
import type { Reply } from '../support.ts';

const url = 'https://files.example/film.mp4';
const never = () => new Promise<void>(() => undefined);
const reply =
  (body: string, headers: Record<string, string>, status = 200): Reply =>
  () =>
    new Response(body, { status, headers });

describe('range', () => {
  const part = (contentRange: string) => reply('mes', { 'content-range': contentRange }, 206);

  test('requests the file from a byte on, on condition that it has not changed', async () => {
    const { fetch, sent } = scripted(part('bytes 3-5/6'));
    const reports: DownloadProgress[] = [];
    const response = await clientOf(fetch).download(url, {
      range: { start: 3, ifRange: '"v1"' },
      onProgress: (progress) => void reports.push(progress),
    });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe('mes');
    expect([...(sent[0]?.headers ?? [])]).toEqual([
      ['accept-encoding', 'identity'],
      ['if-range', '"v1"'],
      ['range', 'bytes=3-'],
    ]);
    expect(reports).toEqual([{ bytes: 6, total: 6 }]);
  });

  test('may be ignored by the server: the response is the entire file', async () => {
    const { fetch } = scripted(reply('frames', { 'content-length': '6' }));
    const response = await clientOf(fetch).download(url, { range: { start: 3 } });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('frames');
  });

  test.each([
    ['bytes 2-5/6', 3],
    ['bytes 4-5/6', 3],
    ['bytes 3-1/6', 3],
    ['bytes */6', 3],
    ['items 3-5/6', 3],
    ['', 3],
    ['bytes 0-2/6', undefined],
  ])(
    'a 206 with the content-range "%s" after a request from byte %s is invalid',
    async (header, start) => {
      const canceled = vi.fn<() => void>();
      const init = { status: 206, headers: { 'content-range': header } };
      const { fetch, sent } = scripted(streamReply('mes', () => never() as never, init, canceled));
      const range = start === undefined ? undefined : { start };
      const error = await rejection(
        ResponseValidationError,
        clientOf(fetch).download(url, { range }),
      );
      expect(error.message).toContain('content-range');
      expect(canceled).toHaveBeenCalledOnce();
      expect(sent).toHaveLength(1);
    },
  );

  test('a part that ends before the file does is incomplete', async () => {
    const { fetch } = scripted(part('bytes 3-5/9'));
    const response = await clientOf(fetch).download(url, { range: { start: 3 } });
    const error = await rejection(ConnectionError, response.text());
    expect(error.message).toContain('it ended after 6 of 9 bytes');
  });

  test('maxBytes limits the size of the file, not of the part', async () => {
    const { fetch } = scripted(part('bytes 3-5/6'));
    const limited = { range: { start: 3 }, maxBytes: 5 };
    const response = await clientOf(fetch).download(url, limited);
    const error = await rejection(ResponseValidationError, response.text());
    expect(error.message).toContain('maxBytes (5)');
  });

  test.each([
    { start: -1 },
    { start: 0.5 },
    {},
    { start: 1, ifRange: 'a\nb' },
    { start: 1, end: 2 },
  ])('of %j is rejected', async (range) => {
    const { fetch, sent } = scripted(part('bytes 3-5/6'));
    const options = { range } as unknown as DownloadOptions;
    await rejection(ConfigurationError, clientOf(fetch).download(url, options));
    expect(sent).toEqual([]);
  });

  test('is requested again from a renewed URL', async () => {
    const record = { id: 'task_1', status: 'completed', video_url: url };
    const { fetch, sent } = scripted(
      jsonReply(200, record),
      textReply(410, 'gone'),
      jsonReply(200, { ...record, video_url: `${url}?fresh` }),
      part('bytes 3-5/6'),
    );
    const gateway = clientOf(fetch);
    const done = await gateway.videos.retrieve('task_1');
    const response = await gateway.download(done, { range: { start: 3 } });
    expect(response.status).toBe(206);
    expect(sent[3]?.url).toBe(`${url}?fresh`);
    expect(sent.map(({ headers }) => headers.get('range'))).toEqual([
      null,
      'bytes=3-',
      null,
      'bytes=3-',
    ]);
  });
});

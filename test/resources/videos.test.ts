import { describe, expect, test } from 'vitest';

import { ConfigurationError, ResponseValidationError, TaskFailedError } from '../../src/index.ts';
import type { VideoContentItem, VideoParams, VideoRoute } from '../../src/index.ts';
import { jsonReply, clientOf, onMock, scripted, virtualClock } from '../client/support.ts';
import { headers, requests } from '../coverage/specification.ts';
import { difference, rows } from '../support/fields.ts';
import { rejection } from '../support/rejection.ts';

const video = { model: 'tide-video', prompt: 'A harbor at dawn' };
const files = 'https://files.example';

/** All documented fields. */
const allFields = {
  model: 'tide-video',
  prompt: 'A harbor at dawn',
  size: '720p',
  resolution: '1080p',
  aspect_ratio: '16:9',
  duration: 6,
  image: `${files}/first.png`,
  last_image: `${files}/last.png`,
  images: [`${files}/1.png`, `${files}/2.png`],
  video: `${files}/before.mp4`,
  content: [
    { type: 'text', text: 'The fog lifts' },
    { type: 'image_url', image_url: { url: `${files}/quay.png` }, role: 'reference_image' },
  ],
  extra_body: {
    generate_audio: true,
    negative_prompt: 'No people',
    seed: 7,
    operation: 'video_extend',
    input_video_seconds: 4.5,
  },
} satisfies VideoParams;

describe('videos.submit()', () => {
  const routes: [VideoRoute, string][] = [
    [{}, '/v1/videos'],
    [{ route: 'videos' }, '/v1/videos'],
    [{ route: 'video/generations' }, '/v1/video/generations'],
    [{ route: 'videos/generations' }, '/v1/videos/generations'],
  ];

  test.each(routes)(
    'with %j posts to %s, and the finished video can be downloaded',
    async (options, path) => {
      const { gateway, mock } = onMock();
      const result = await mock.clock.settle(gateway.videos.generate(video, options));
      expect(mock.requests[0]).toMatchObject({ method: 'POST', path, search: '', body: video });
      expect(mock.requests[0]?.headers).toMatchObject({
        authorization: `Bearer ${mock.apiKey}`,
        'content-type': 'application/json',
        'x-idempotency-key': expect.stringMatching(/^[!-~]{1,200}$/),
      });
      expect(mock.requests[0]?.headers).not.toHaveProperty('idempotency-key');
      expect(mock.requests.slice(1).every(({ method }) => method === 'GET')).toBe(true);
      expect(result).toMatchObject({ kind: 'video', status: 'succeeded', progress: 100 });
      expect(result.urls).toHaveLength(1);
      expect(result.raw).toMatchObject({
        object: 'video.generation.job',
        video_url: result.urls[0],
      });
      expect((await mock.fetch(result.urls[0])).headers.get('content-type')).toBe('video/mp4');
    },
  );

  test('rejects an undocumented route before sending a request', async () => {
    const { gateway, mock } = onMock();
    const untyped = { route: 'video' } as unknown as VideoRoute;
    await rejection(ConfigurationError, Promise.resolve(gateway.videos.submit(video, untyped)));
    expect(mock.requests).toEqual([]);
  });

  test.each(rows(requests['Video body']))('sends %s unchanged', async (_, field) => {
    const { gateway, mock } = onMock();
    await gateway.videos.submit(allFields);
    expect(difference(field, [{ read: mock.requests[0]?.body, sent: allFields }])).toBeUndefined();
  });

  test('sends the given params and nothing else', async () => {
    const { gateway, mock } = onMock();
    await gateway.videos.submit(allFields);
    await gateway.videos.submit(video);
    expect(mock.requests.map(({ body }) => body)).toEqual([allFields, video]);
    expect(mock.requests[0]?.bodyText).toBe(JSON.stringify(allFields));
  });

  test('sends model-specific fields unchanged', async () => {
    const { gateway, mock } = onMock();
    const content: VideoContentItem[] = [
      { type: 'video_url', video_url: { url: `${files}/a.mp4` }, role: 'reference_video' },
      { type: 'audio_url', audio_url: { url: `${files}/a.mp3` }, role: 'reference_audio' },
      JSON.parse('{"type":"camera","path":[1,2]}'),
    ];
    const params = { ...video, content, extra_body: { operation: 'avatar', camera: { pan: 1 } } };
    await gateway.videos.submit(params);
    expect(mock.requests[0]?.body).toEqual(params);
  });

  test.each(['edit_video', 'video_extend', 'avatar', 'colourise'])(
    'accepts the operation %s',
    async (operation) => {
      const { gateway, mock } = onMock();
      const extra = { ...video, video: `${files}/a.mp4`, extra_body: { operation } };
      await gateway.videos.submit(extra);
      expect(mock.requests[0]?.body).toEqual(extra);
    },
  );

  test.each(headers['Headers of a generation response'])(
    'reads the header %s of the response into meta',
    async (name) => {
      const { gateway } = onMock({ concurrencyLimit: 3 });
      const options = { idempotencyKey: 'row-1', requestId: 'mine-1' };
      const first = await gateway.videos.submit(video, options);
      const again = await gateway.videos.submit(video, options);
      const { meta } = name.endsWith('replay') ? again : first;
      const read: Record<string, [read: unknown, expected: unknown]> = {
        'x-request-id': [meta.requestId, 'mine-1'],
        'x-svc-task-id': [meta.taskId, first.id],
        'x-svc-charge-usd': [meta.chargeUsd, 0.1],
        'x-svc-concurrency-limit': [meta.concurrency.limit, 3],
        'x-svc-concurrency-remaining': [meta.concurrency.remaining, 2],
        'x-svc-concurrency-source': [meta.concurrency.source, 'user_override'],
        'x-svc-idempotent-replay': [meta.idempotentReplay, true],
      };
      const [value, expected] = read[name] ?? [];
      expect(expected).toBeDefined();
      expect(value).toBe(expected);
      expect(first.meta.headers.has('x-svc-idempotent-replay')).toBe(false);
      expect(first.meta.idempotentReplay).toBe(false);
    },
  );

  test('returns the same task without a charge for a key that was used', async () => {
    const { gateway, mock } = onMock();
    const first = await gateway.videos.submit(video, { idempotencyKey: 'row-17' });
    const again = await gateway.videos.submit(video, { idempotencyKey: 'row-17' });
    expect(again).toMatchObject({ id: first.id, replayed: true });
    expect(first.replayed).toBe(false);
    expect(mock.invoice).toHaveLength(1);
    expect(gateway.spend.totalUsd).toBe(mock.invoice[0]?.usd);
  });

  test('is retried with the same key after an unknown outcome, and is charged once', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route: 'POST /v1/videos', reset: 'after', times: 2 });
    const task = await mock.clock.settle(gateway.videos.submit(video));
    const keys = mock.requests.map(({ headers: sent }) => sent['x-idempotency-key']);
    expect(keys).toEqual([task.idempotencyKey, task.idempotencyKey, task.idempotencyKey]);
    expect(mock.invoice).toHaveLength(1);
    expect(mock.tasks).toHaveLength(1);
  });

  test('is retried after a 503 and after a refused connection', async () => {
    const { gateway, mock } = onMock();
    mock.fail({ route: 'POST /v1/videos', status: 503, times: 1 });
    mock.fail({ route: 'POST /v1/videos', unreachable: true, times: 1 });
    await mock.clock.settle(gateway.videos.submit(video));
    expect(mock.requests.map(({ status }) => status)).toEqual([503, 202]);
    expect(mock.invoice).toHaveLength(1);
  });

  test('is billed per second, at the price of its resolution', async () => {
    const { gateway, mock } = onMock();
    await gateway.videos.submit({ ...video, duration: 6, resolution: '1080P' });
    await gateway.videos.submit({ ...video, duration: 3 });
    expect(mock.invoice.map(({ usd }) => usd)).toEqual([0.24, 0.06]);
    expect(gateway.spend.totalUsd).toBeCloseTo(0.3, 9);
  });
});

describe('a video task', () => {
  test.each([
    ['succeeded', 'succeeded'],
    ['completed', 'succeeded'],
  ])('ends at the status %s', async (rawStatus, status) => {
    const record = { id: 'task_1', status: rawStatus, video_url: `${files}/film.mp4` };
    const { fetch, sent } = scripted(
      jsonReply(202, { id: 'task_1', status: 'queued' }),
      jsonReply(200, record),
    );
    const clock = virtualClock();
    const result = await clock.settle(clientOf(fetch, { clock }).videos.generate(video));
    expect(result).toMatchObject({
      status,
      rawStatus,
      urls: [`${files}/film.mp4`],
      raw: record,
    });
    expect(sent.map(({ url }) => new URL(url).pathname)).toEqual([
      '/v1/videos',
      '/v1/videos/task_1',
    ]);
  });

  test('rejects with TaskFailedError at the status failed', async () => {
    const { gateway, mock } = onMock({ tasks: { outcome: 'failed' } });
    const error = await rejection(
      TaskFailedError,
      mock.clock.settle(gateway.videos.generate(video)),
    );
    expect(error.generation).toMatchObject({
      kind: 'video',
      status: 'failed',
      rawStatus: 'failed',
    });
    expect(error.task).toMatchObject({ id: mock.tasks[0]?.id, kind: 'video' });
  });

  test('is polled every 2 to 5 seconds', async () => {
    const { gateway, mock } = onMock({ tasks: { durationMs: 90_000 } });
    await mock.clock.settle(gateway.videos.generate(video));
    const times = mock.requests.map(({ at }) => at);
    const delays = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(delays.length).toBeGreaterThan(15);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(5_000);
  });

  test('is not lost if a required field of the submit response has the wrong type', async () => {
    const body = { id: 'task_7', status: 'completed', result: 'soon' };
    const { fetch } = scripted(jsonReply(202, body, { 'x-svc-task-id': 'task_7' }));
    const error = await rejection(
      ResponseValidationError,
      Promise.resolve(clientOf(fetch).videos.submit(video, { idempotencyKey: 'row-9' })),
    );
    expect(error).toMatchObject({ body, meta: { status: 202 }, idempotencyKey: 'row-9' });
    expect(error.task).toMatchObject({ id: 'task_7', kind: 'video', idempotencyKey: 'row-9' });
  });
});

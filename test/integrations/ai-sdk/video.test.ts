import {
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
} from 'ai';
import { createPolygate } from 'polygate/ai-sdk';
import type { MockGateway } from 'polygate/mock';
import { describe, expect, test } from 'vitest';

import { Polygate } from '../../../src/index.ts';
import { caught } from '../../client/support.ts';
import { onProvider, rewriting } from './support.ts';

const waves = { prompt: 'Waves' };

/** Options for `generateVideo` that use virtual time and the mock. */
const inVirtualTime = (mock: MockGateway) => ({
  poll: { delay: (ms: number | null = 0) => mock.clock.sleep(ms ?? 0) },
  download: async ({ url }: { url: URL }) => {
    const response = await mock.fetch(url.href);
    return { data: new Uint8Array(await response.arrayBuffer()), mediaType: undefined };
  },
});

describe('generateVideo', () => {
  test('returns the video of one task, and the charge', async () => {
    const { mock, polygate, settle } = onProvider();
    const model = polygate.video('tide-video');
    const result = await settle(generateVideo({ model, ...waves, ...inVirtualTime(mock) }));
    const [line] = mock.invoice;
    expect(result.video.mediaType).toBe('video/mp4');
    expect(result.video.uint8Array.length).toBeGreaterThan(0);
    expect(result.warnings).toEqual([]);
    expect(result.providerMetadata).toEqual({
      polygate: {
        chargeUsd: line?.usd,
        requestId: line?.requestId,
        taskId: line?.taskId,
        idempotencyKey: expect.stringMatching(/^aisdk_vid_/),
        replayed: false,
      },
    });
    expect(mock.invoice).toHaveLength(1);
  });

  test('several videos are one task each, with a key each', async () => {
    const { mock, polygate, settle } = onProvider();
    const model = polygate.video('tide-video');
    const call = generateVideo({ model, ...waves, n: 2, ...inVirtualTime(mock) });
    expect((await settle(call)).videos).toHaveLength(2);
    expect(mock.invoice).toHaveLength(2);
    expect(mock.assertPaidOnce()).toBeUndefined();
  });

  test('reports the message of a failed task', async () => {
    const { mock, polygate, settle } = onProvider({ tasks: { outcome: 'failed' } });
    const model = polygate.video('tide-video');
    const error = await caught(settle(generateVideo({ model, ...waves, ...inVirtualTime(mock) })));
    expect(error.message).toMatch(/\w/);
    expect(mock.tasks).toHaveLength(1);
  });

  test.each([
    ['an outage', { status: 503, times: 12 }],
    ['lost connections', { reset: 'before' as const, times: 12 }],
    ['bodies that are not JSON', { malformed: true, times: 12 }],
  ])('polls through %s, so that a paid video is not lost', async (_, fault) => {
    const { mock, polygate, settle } = onProvider();
    mock.fail({ route: 'GET /v1/videos/{id}', ...fault });
    const model = polygate.video('tide-video');
    const result = await settle(generateVideo({ model, ...waves, ...inVirtualTime(mock) }));
    expect(result.videos).toHaveLength(1);
    expect(result.warnings).toContainEqual({
      type: 'other',
      message: expect.stringContaining('a poll failed'),
    });
    expect(mock.invoice).toHaveLength(1);
  });

  test('a call that is repeated with its idempotency key continues the same video', async () => {
    const { mock, polygate, settle } = onProvider();
    const headers = { 'idempotency-key': 'order-17' };
    const generate = () =>
      settle(
        generateVideo({
          model: polygate.video('tide-video'),
          ...waves,
          headers,
          ...inVirtualTime(mock),
        }),
      );
    await generate();
    const { providerMetadata } = await generate();
    expect(providerMetadata.polygate).toMatchObject({ replayed: true });
    expect(mock.invoice).toMatchObject([{ idempotencyKey: 'order-17' }]);
    const polls = mock.requests.filter(({ method }) => method === 'GET');
    expect(polls.some(({ headers: sent }) => 'x-idempotency-key' in sent)).toBe(false);
  });
});

describe('startVideo and getVideoStatus', () => {
  test('continue a video in another process, from JSON', async () => {
    const { mock, polygate } = onProvider({ tasks: { durationMs: 60_000 } });
    const started = await startVideo({ model: polygate.video('tide-video'), ...waves });
    const stored = JSON.stringify(started.operation);
    // What workflows and queues copy in other ways must be the same.
    expect(started.operation).toStrictEqual(JSON.parse(stored));
    expect(stored).not.toContain(mock.apiKey);
    expect(stored).not.toContain('Waves');

    const { apiKey, baseURL, fetch, clock } = mock;
    const other = createPolygate({ client: new Polygate({ apiKey, baseURL, fetch, clock }) });
    const check = () =>
      getVideoStatus(other.video('tide-video'), { operation: JSON.parse(stored) });
    expect(await check()).toMatchObject({ status: 'pending' });
    await clock.advance(60_000);
    const [line] = mock.invoice;
    expect(await check()).toMatchObject({
      status: 'completed',
      videos: [
        { type: 'url', url: expect.stringMatching(/^https:.*\.mp4/), mediaType: 'video/mp4' },
      ],
      warnings: [],
      providerMetadata: {
        polygate: {
          chargeUsd: line?.usd,
          taskId: line?.taskId,
          idempotencyKey: line?.idempotencyKey,
        },
      },
    });
    expect(mock.invoice).toHaveLength(1);
  });

  test('report a failed task as status error with its message', async () => {
    const { polygate, settle } = onProvider({ tasks: { outcome: 'failed', durationMs: 0 } });
    const model = polygate.video('tide-video');
    const { operation } = await startVideo({ model, ...waves });
    expect(await settle(getVideoStatus(model, { operation }))).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/\w/),
    });
  });

  test.each([
    ['webm', 'video/webm'],
    ['MOV', 'video/quicktime'],
    ['mp4?x=.webm', 'video/mp4'],
    ['bin', 'video/mp4'],
  ])('take the media type of a link to .%s from its extension', async (extension, mediaType) => {
    const { polygate, settle } = onProvider({ tasks: { durationMs: 0 } }, {}, (fetch) =>
      rewriting(
        fetch,
        (method) => method === 'GET',
        (body) => ({
          ...body,
          video_url: `https://files.example/1.${extension}`,
          result: null,
        }),
      ),
    );
    const model = polygate.video('tide-video');
    const { operation } = await startVideo({ model, ...waves });
    const status = await settle(getVideoStatus(model, { operation }));
    expect(status).toMatchObject({ status: 'completed', videos: [{ mediaType }] });
  });

  test('report a poll without a response as pending, and a task that does not exist as an error', async () => {
    const { mock, polygate, settle } = onProvider();
    const model = polygate.video('tide-video');
    const { operation } = await startVideo({ model, ...waves });
    const fault = mock.fail({ status: 500 });
    expect(await settle(getVideoStatus(model, { operation }))).toMatchObject({ status: 'pending' });
    fault.remove();
    const unknown = { v: 1, kind: 'video', id: 'task_unknown' };
    const error = await caught(settle(getVideoStatus(model, { operation: unknown })));
    expect(error).toMatchObject({ name: 'NotFoundError' });
  });

  test.each([
    ['that is malformed', { id: 1 }],
    ['of an image', { v: 1, kind: 'image', id: 'task_1' }],
  ])('reject an operation %s', async (_, operation) => {
    const { mock, polygate } = onProvider();
    const error = await caught(getVideoStatus(polygate.video('tide-video'), { operation }));
    expect(error).toMatchObject({ name: 'ConfigurationError' });
    expect(mock.requests).toEqual([]);
  });

  test('an abort ends a status check with the task, which continues', async () => {
    const { mock, polygate } = onProvider();
    const model = polygate.video('tide-video');
    const { operation } = await startVideo({ model, ...waves });
    const abortSignal = AbortSignal.abort('the user left');
    const error = await caught(getVideoStatus(model, { operation, abortSignal }));
    expect(error).toMatchObject({ name: 'AbortedError', task: { id: mock.tasks[0]?.id } });
  });
});

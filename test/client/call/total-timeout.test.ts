import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import { ConnectionError, RequestTimeoutError } from '../../../src/index.ts';
import type { PolygateOptions, RequestOptions } from '../../../src/index.ts';
import {
  WatchedClock,
  caught,
  chat,
  clientOf,
  completeStream,
  errorReply,
  eventStream,
  hang,
  image,
  onMock,
  reset,
  scripted,
  streamReply,
} from '../support.ts';
import type { Reply } from '../support.ts';

/** Submits an image. Returns the error, how long the call lasted by the clock, and how many requests it sent. */
async function submit(reply: Reply, options: PolygateOptions, callOptions: RequestOptions = {}) {
  const clock = new WatchedClock();
  const { fetch, sent } = scripted(reply);
  const startedAt = clock.now();
  const gateway = clientOf(fetch, { clock, ...options });
  const error = await caught(clock.settle(gateway.images.submit(image, callOptions)));
  return { error, elapsed: clock.now() - startedAt, requests: sent.length, clock };
}

describe('totalTimeout', () => {
  test('limits attempts that hang, together', async () => {
    const { error, elapsed, requests } = await submit(hang, {
      timeout: 4_000,
      totalTimeout: 10_000,
    });
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toMatchObject({ outcome: 'unknown', message: /10000 ms \(totalTimeout\)/ });
    expect(elapsed).toBe(10_000);
    expect(requests).toBeGreaterThan(1);
  });

  test('limits the pauses between attempts', async () => {
    const busy = errorReply(503, 'service_unavailable', { 'retry-after': '30' });
    const { error, elapsed, requests, clock } = await submit(busy, {}, { totalTimeout: 5_000 });
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error.outcome).toBe('not-sent');
    expect(error.message).toContain('Nothing was charged');
    expect([elapsed, requests]).toEqual([5_000, 1]);
    expect(clock.pending).toBe(0);
  });

  test('limits the wait for a concurrency slot', async () => {
    const clock = new WatchedClock();
    const { fetch } = scripted(hang);
    const gateway = clientOf(fetch, { clock, concurrency: 1 });
    const first = gateway.images.submit(image);
    const error = await caught(clock.settle(gateway.images.submit(image, { totalTimeout: 2_000 })));
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error.outcome).toBe('not-sent');
    expect(gateway.concurrency.queued).toBe(0);
    first.catch(() => undefined);
  });

  test('of the call replaces that of the client', async () => {
    const { elapsed } = await submit(hang, { totalTimeout: 9_000 }, { totalTimeout: 3_000 });
    expect(elapsed).toBe(3_000);
  });

  test('keeps the outcome of an earlier attempt that may have been charged', async () => {
    const { error } = await submit(reset, { totalTimeout: 1, random: () => 1 });
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error.outcome).toBe('unknown');
    expect(error.idempotencyKey).toEqual(expect.any(String));
  });

  test('does not end a call that finishes in time, and leaves no timer behind', async () => {
    const clock = new WatchedClock();
    const { gateway, mock } = onMock({}, { clock, totalTimeout: 60_000 });
    const task = await gateway.images.submit(image);
    expect(task.id).not.toBe('');
    expect(mock.requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('covers a stream only until its headers', async () => {
    const clock = new WatchedClock();
    const { fetch } = scripted(streamReply(completeStream, () => undefined, eventStream));
    const gateway = clientOf(fetch, { clock, totalTimeout: 1_000 });
    const stream = await gateway.chat.completions.create({ ...chat, stream: true });
    await clock.advance(5_000);
    const chunks: unknown[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks).toHaveLength(2);
  });

  test('does not limit the wait for a task', async () => {
    const { gateway, mock } = onMock({ tasks: { durationMs: 60_000 } }, { totalTimeout: 1_000 });
    const done = await mock.clock.settle(gateway.images.generate(image));
    expect(done.status).toBe('succeeded');
  });

  test('is a connection error, which a batch and a caller may retry with the same key', async () => {
    const { error } = await submit(hang, { totalTimeout: 1_000 });
    expect(error).toBeInstanceOf(ConnectionError);
  });

  test('releases its slot and its listeners on the signal of the caller', async () => {
    const clock = new WatchedClock();
    const { fetch } = scripted(hang);
    const gateway = clientOf(fetch, { clock });
    const { signal } = new AbortController();
    await caught(clock.settle(gateway.images.submit(image, { totalTimeout: 1_000, signal })));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect([gateway.concurrency.inFlight, clock.pending]).toEqual([0, 0]);
  });
});

import { describe, expect, test } from 'vitest';

import {
  initialWindow,
  windowAfterRejection,
  windowAfterSuccess,
} from '../../../src/client/limits/concurrency.ts';
import { Polygate } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import { image, onMock, errorReply, submitted, turns } from '../support.ts';
import { manualClient, submitMany, taskWithLimit } from './manual-service.ts';

describe('the window', () => {
  test('starts at four', () => {
    expect(initialWindow).toMatchObject({ size: 4, initial: true });
  });

  test.each([
    ['opens fully without headers', initialWindow, {}, 1, Infinity],
    ['opens to the limit', initialWindow, { limit: 8 }, 1, 8],
    ['opens to the free slots', initialWindow, { limit: 8, remaining: 3 }, 4, 7],
    ['shrinks to a small limit', initialWindow, { limit: 2, remaining: 1 }, 4, 2],
    ['leaves room for other clients of the account', { size: 8, limit: 8 }, { remaining: 0 }, 5, 5],
    ['never closes', { size: 8, limit: 8 }, { limit: 8, remaining: 0 }, 0, 1],
    ['follows a lower limit', { size: 8, limit: 8 }, { limit: 3 }, 8, 3],
    ['follows a higher limit', { size: 3, limit: 3 }, { limit: 9, remaining: 7 }, 2, 9],
    ['recovers by one', { size: 4 }, {}, 4, 5],
    ['recovers up to the limit', { size: 8, limit: 8 }, {}, 8, 8],
  ])('%s after a success', (_, window, details, inFlight, size) => {
    expect(windowAfterSuccess(window, details, inFlight).size).toBe(size);
  });

  test.each([
    ['halves', { size: 8 }, {}, 7, 4],
    ['halves the requests in flight if it was fully open', { size: Infinity }, {}, 9, 5],
    ['never closes', { size: 1 }, {}, 0, 1],
    [
      'takes the number of requests in flight as the limit',
      { size: 8 },
      { limit: 8, remaining: 0 },
      5,
      5,
    ],
    ['follows a lower limit', { size: 8, limit: 8 }, { limit: 3, remaining: 0 }, 6, 3],
  ])('%s after a 429', (_, window, details, inFlight, size) => {
    expect(windowAfterRejection(window, details, inFlight).size).toBe(size);
  });

  test('is no longer fresh after a response', () => {
    const next = windowAfterSuccess(windowAfterRejection(initialWindow, {}, 3), {}, 1);
    expect(next.size).toBe(3);
  });
});

describe("'auto'", () => {
  test('sends four requests and queues the others until the first response', async () => {
    const { service, gateway } = manualClient();
    await submitMany(gateway, 10);
    expect(service.inFlight).toBe(4);
    expect(gateway.concurrency).toMatchObject({ inFlight: 4, queued: 6 });
  });

  test('sends all requests if the first response reports no limit', async () => {
    const { service, gateway } = manualClient();
    await submitMany(gateway, 30);
    await service.respond(submitted);
    expect(service.inFlight).toBe(29);
    expect(gateway.concurrency).toMatchObject({ inFlight: 29, queued: 0 });
  });

  test('adapts within one response when the limit changes', async () => {
    const { service, gateway } = manualClient();
    await submitMany(gateway, 20);
    await service.respond(taskWithLimit(8, 4));
    expect(service.inFlight).toBe(8);
    await service.respond(taskWithLimit(2, 0));
    expect(service.inFlight).toBe(7);
    await service.respond(taskWithLimit(2, 0), 5);
    expect(service.inFlight).toBe(2);
    await service.respond(taskWithLimit(5, 3));
    expect(service.inFlight).toBe(5);
  });

  test('adapts within one response to a limit without remaining slots', async () => {
    const { service, gateway } = manualClient();
    await submitMany(gateway, 20);
    await service.respond(taskWithLimit(2), 3);
    expect(service.inFlight).toBe(2);
    await service.respond(taskWithLimit(6));
    expect(service.inFlight).toBe(6);
  });

  test('halves on a 429 without headers, and then recovers by one per success', async () => {
    const { service, gateway, clock } = manualClient({ random: () => 0 });
    await submitMany(gateway, 17);
    await service.respond(submitted);
    expect(service.inFlight).toBe(16);
    await service.respond(errorReply(429, 'concurrency_limit_exceeded'));
    await clock.advance(10_000);
    await submitMany(gateway, 40);
    // The window halves from sixteen to eight, and fifteen requests are still in flight.
    expect(service.inFlight).toBe(15);
    await service.respond(submitted, 3);
    expect(service.inFlight).toBe(12);
    await service.respond(submitted);
    expect(service.inFlight).toBe(12);
    await service.respond(submitted);
    expect(service.inFlight).toBe(13);
  });

  test('serves requests in order', async () => {
    const { mock, gateway } = onMock({ concurrencyLimit: 2, latencyMs: 100 });
    const calls = Array.from({ length: 12 }, (_, row) =>
      gateway.images.submit(image, { requestId: `row-${row}` }),
    );
    await mock.clock.settle(Promise.all(calls));
    const order = mock.requests
      .filter(({ status }) => status === 202)
      .map(({ requestId }) => requestId);
    const rows = order.map((id) => Number(id.slice(4)));
    // The four of the first window may be rejected and retried. All others keep their order.
    expect(rows.filter((row) => row > 3)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('does not limit requests that need no slot', async () => {
    const { service, gateway } = manualClient({ concurrency: 1 });
    await submitMany(gateway, 2);
    gateway.models.list().catch(() => undefined);
    gateway.images.retrieve('task_1').catch(() => undefined);
    await turns();
    expect(service.arrived).toBe(3);
  });

  test.each([
    ['a limit of 8', 8, 0],
    ['a limit of 3 that a response has reported', 3, 1],
  ])('causes no 429 with 60 submits against %s', async (_, concurrencyLimit, before) => {
    const { mock, gateway } = onMock({ concurrencyLimit, latencyMs: 100 });
    for (let call = 0; call < before; call += 1) {
      await mock.clock.settle(gateway.images.submit(image));
    }
    const calls = Array.from({ length: 60 }, () => gateway.images.submit(image));
    await mock.clock.settle(Promise.all(calls));
    expect(mock.peakInFlight).toBe(concurrencyLimit);
    expect(mock.requests.filter(({ status }) => status === 429)).toEqual([]);
    expect(mock.invoice).toHaveLength(60 + before);
  });

  test('surfaces no error with 60 submits against a limit below the initial window', async () => {
    const { mock, gateway } = onMock({ concurrencyLimit: 3, latencyMs: 100 });
    const calls = Array.from({ length: 60 }, () => gateway.images.submit(image));
    await mock.clock.settle(Promise.all(calls));
    expect(mock.peakInFlight).toBe(3);
    const rejected = mock.requests.filter(({ status }) => status === 429);
    // At most one request too many is sent before the limit is known.
    expect(rejected.length).toBeLessThanOrEqual(1);
  });

  test('reaches at least 90% of the ideal throughput with 500 submits against a limit of 8', async () => {
    const { mock, gateway } = onMock({ concurrencyLimit: 8, latencyMs: 100 });
    const startedAt = mock.clock.now();
    const calls = Array.from({ length: 500 }, () => gateway.images.submit(image));
    await mock.clock.settle(Promise.all(calls));
    const ideal = Math.ceil(500 / 8) * 100;
    expect(ideal / (mock.clock.now() - startedAt)).toBeGreaterThanOrEqual(0.9);
    expect(mock.requests.filter(({ status }) => status === 429)).toEqual([]);
    expect(new Set(mock.tasks.map(({ id }) => id)).size).toBe(500);
  });

  test('adapts within one response when the limit falls from 8 to 3 under 500 submits', async () => {
    const { mock, gateway, limitOf3 } = unevenMock(8);
    const calls = Array.from({ length: 500 }, () => gateway.images.submit(image));
    const all = Promise.all(calls);
    await mock.clock.advance(2_000);
    expect(mock.requests.filter(({ status }) => status === 429)).toEqual([]);
    mock.setConcurrencyLimit(3);
    const before = mock.requests.length;
    await mock.clock.settle(all);
    // Only requests sent before the first response with the new limit may be rejected.
    expect(limitOf3.observedAt).toBeGreaterThanOrEqual(before);
    const late = mock.requests.slice(limitOf3.observedAt);
    expect(late.length).toBeGreaterThan(300);
    expect(late.filter(({ status }) => status !== 202)).toEqual([]);
    expect(limitOf3.peak).toBe(3);
    expect(new Set(mock.tasks.map(({ id }) => id)).size).toBe(500);
    expect(mock.invoice).toHaveLength(500);
  });
});

/** A gateway with latencies of 40 to 160 ms, and the requests in flight after it reported a limit of 3. */
function unevenMock(concurrencyLimit: number) {
  const mock = createMockGateway({ clock: 'virtual', concurrencyLimit });
  const every = (nth: number) => Array.from({ length: 200 }, (_, round) => nth + round * 5);
  for (const nth of [1, 2, 3, 4, 5]) mock.fail({ delayMs: 10 + nth * 30, attempt: every(nth) });
  const limitOf3 = { observedAt: 0, peak: 0 };
  let inFlight = 0;
  const fetch: typeof mock.fetch = async (input, init) => {
    inFlight += 1;
    if (limitOf3.observedAt > 0) limitOf3.peak = Math.max(limitOf3.peak, inFlight);
    const response = await mock.fetch(input, init);
    inFlight -= 1;
    if (response.headers.get('x-svc-concurrency-limit') === '3') {
      limitOf3.observedAt ||= mock.requests.length;
    }
    return response;
  };
  const { apiKey, baseURL, clock } = mock;
  const gateway = new Polygate({ apiKey, baseURL, clock, fetch, logLevel: 'off', random: () => 0 });
  return { mock, gateway, limitOf3 };
}

describe('the concurrency option', () => {
  test("a number below the service's limit caps it", async () => {
    const { mock, gateway } = onMock({ concurrencyLimit: 8, latencyMs: 100 }, { concurrency: 2 });
    const calls = Array.from({ length: 20 }, () => gateway.images.submit(image));
    await mock.clock.settle(Promise.all(calls));
    expect(mock.peakInFlight).toBe(2);
  });

  test("a number above the service's limit does not raise it", async () => {
    const { service, gateway } = manualClient({ concurrency: 50 });
    await submitMany(gateway, 20);
    await service.respond(taskWithLimit(3), 4);
    expect(service.inFlight).toBe(3);
  });

  test('false sends all requests immediately', async () => {
    const { service, gateway } = manualClient({ concurrency: false });
    await submitMany(gateway, 60);
    expect(service.inFlight).toBe(60);
  });
});

import { describe, expect, test } from 'vitest';

import { AbortedError, Polygate } from '../../../src/index.ts';
import { caught, chat, countingClock, drain, image, onMock, submitted, turns } from '../support.ts';
import { manualClient, submitMany } from './manual-service.ts';

describe('a chat stream', () => {
  test.each([
    ['is read to its end', async (stream: AsyncIterable<unknown>) => void (await drain(stream))],
    [
      'is left early',
      async (stream: AsyncIterable<unknown>) => {
        for await (const chunk of stream) if (chunk !== undefined) break;
      },
    ],
  ])('holds its slot until it %s', async (_, read) => {
    const { mock, gateway } = onMock({}, { concurrency: 1 });
    const stream = await gateway.chat.completions.create({ ...chat, stream: true });
    const next = gateway.images.submit(image);
    await turns();
    expect(gateway.concurrency).toMatchObject({ inFlight: 1, queued: 1 });
    expect(mock.requests).toHaveLength(1);
    await read(stream);
    await next;
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    expect(mock.inFlight).toBe(0);
  });

  test('releases its slot if it is cut off', async () => {
    const { mock, gateway } = onMock({}, { concurrency: 1 });
    mock.fail({ route: 'POST /v1/chat/completions', cutStreamAfter: 2 });
    await caught(drain(gateway.chat.completions.stream(chat)));
    await turns();
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });
});

describe('gateway.concurrency', () => {
  test('is a live view of the response headers', async () => {
    const { mock, gateway } = onMock({ concurrencyLimit: 6 });
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
    expect(gateway.concurrency.limit).toBeUndefined();
    await gateway.images.submit(image);
    expect(gateway.concurrency).toMatchObject({ limit: 6, remaining: 5, source: 'user_override' });
    mock.setConcurrencyLimit(9);
    await gateway.chat.completions.create(chat);
    expect(gateway.concurrency).toMatchObject({ limit: 9, remaining: 8 });
  });

  test('reads the limit from an error response as well', async () => {
    const { gateway } = onMock({ concurrencyLimit: 3, wallet: { usd: 0 } });
    expect((await caught(gateway.images.submit(image))).name).toBe('PaymentRequiredError');
    expect(gateway.concurrency.limit).toBe(3);
  });

  test('counts voice design requests, which need slots as well', async () => {
    const { mock, gateway } = onMock({ concurrencyLimit: 3, latencyMs: 1_000 });
    const params = { prompt: 'An old sailor', preview_text: 'Ahoy' };
    const calls = Array.from({ length: 20 }, () => gateway.voices.design(params));
    await mock.clock.settle(Promise.all(calls));
    expect(mock.peakInFlight).toBe(3);
  });

  test('keeps no timer for a pause without queued requests', async () => {
    const { mock } = onMock();
    const { clock, sleeps } = countingClock(mock.clock);
    const { apiKey, baseURL, fetch } = mock;
    const gateway = new Polygate({ apiKey, baseURL, fetch, clock, logLevel: 'off' });
    mock.fail({ status: 429, code: 'concurrency_limit_exceeded', retryAfter: 50 });
    const stop = new AbortController();
    const call = caught(gateway.images.submit(image, { signal: stop.signal }));
    await mock.clock.advance(1_000);
    expect(sleeps.pending).toBe(2);
    stop.abort();
    await call;
    await turns();
    expect(sleeps.pending).toBe(0);
  });

  test('releases the slot of a queued request that is aborted as it gets the slot', async () => {
    const stop = new AbortController();
    const onCharge = () => stop.abort();
    const { service, gateway } = manualClient({ onCharge });
    await submitMany(gateway, 4);
    const fifth = caught(gateway.images.submit(image, { signal: stop.signal }));
    await turns();
    const headers = { 'x-svc-charge-usd': '0.02' };
    await service.respond(() => Response.json({ id: 'task_1', status: 'queued' }, { headers }));
    expect(await fifth).toMatchObject({ name: 'AbortedError', outcome: 'not-sent' });
    expect(service.arrived).toBe(4);
    expect(gateway.concurrency).toMatchObject({ inFlight: 3, queued: 0 });
  });

  test('removes aborted requests from the queue, and sends the others', async () => {
    const { service, gateway } = manualClient({ concurrency: 1 });
    const first = gateway.images.submit(image);
    const stop = new AbortController();
    const second = caught(gateway.images.submit(image, { signal: stop.signal }));
    const third = gateway.images.submit(image);
    await turns();
    expect(gateway.concurrency).toMatchObject({ inFlight: 1, queued: 2 });
    stop.abort(new Error('no longer wanted'));
    const error = await second;
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cause: stop.signal.reason, outcome: 'not-sent' });
    expect(gateway.concurrency).toMatchObject({ inFlight: 1, queued: 1 });
    await service.respond(submitted);
    await service.respond(submitted);
    await Promise.all([first, third]);
    expect(service.arrived).toBe(2);
    expect(gateway.concurrency).toMatchObject({ inFlight: 0, queued: 0 });
  });
});

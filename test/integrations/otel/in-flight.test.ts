import { openTelemetry } from 'polygate/otel';
import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import { caught, drain } from '../../client/support.ts';
import { chat, image, inFlight, observed } from './observed.ts';

const streamParams = { ...chat, stream: true } as const;
const bodyOf = ({ body }: Response) => body ?? new ReadableStream();
const fetchStream = (gateway: Polygate) =>
  gateway.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(streamParams),
  });

// `observed` expects that 0 requests are in flight after each of these tests.
describe('the number of requests in flight', () => {
  test('is that of the requests that the gateway is handling', async () => {
    const { gateway, mock, settle, requestsInFlight } = observed({ latencyMs: 1000 });
    const calls = [
      gateway.chat.completions.create(chat),
      gateway.images.submit(image),
      gateway.images.submit(image),
      gateway.models.list(),
    ];
    await mock.clock.advance(500);
    expect(await requestsInFlight()).toBe(4);
    expect(mock.inFlight).toBe(3);
    await settle(Promise.all(calls));
    expect(await requestsInFlight()).toBe(0);
  });

  test('has the attributes of the call that are known at its start', async () => {
    const { gateway, settle, points } = observed();
    await settle(gateway.images.submit(image));
    await settle(gateway.models.list());
    const server = { 'server.address': 'mock.polygate.example', 'server.port': 443 };
    expect(await points(inFlight)).toEqual([
      {
        value: 0,
        attributes: {
          ...server,
          'gen_ai.operation.name': 'generate_image',
          'gen_ai.provider.name': 'polygate',
          'gen_ai.request.model': 'prism-image',
        },
      },
      { value: 0, attributes: { ...server, 'gen_ai.provider.name': 'polygate' } },
    ]);
  });

  test('does not include calls that wait for a slot', async () => {
    const { gateway, mock, settle, requestsInFlight } = observed({
      concurrencyLimit: 2,
      latencyMs: 1000,
    });
    await settle(gateway.images.submit(image));
    const calls = Array.from({ length: 5 }, () => gateway.images.submit(image));
    for (const expected of [2, 2, 1]) {
      await mock.clock.advance(500);
      expect([await requestsInFlight(), mock.inFlight]).toEqual([expected, expected]);
      await mock.clock.advance(500);
    }
    await settle(Promise.all(calls));
  });

  test('does not include calls that wait for their next attempt', async () => {
    const { gateway, mock, settle, requestsInFlight } = observed();
    mock.fail({ status: 503, retryAfter: 10, times: 1 });
    const call = gateway.images.submit(image);
    await mock.clock.advance(5000);
    expect(await requestsInFlight()).toBe(0);
    await settle(call);
  });

  test('does not include calls that wait after a rejection for lack of a slot', async () => {
    const { gateway, mock, settle, requestsInFlight } = observed();
    const code = 'concurrency_limit_exceeded';
    mock.fail({ status: 429, code, retryAfter: 10, times: 3 });
    const calls = [gateway.images.submit(image), gateway.chat.completions.create(chat)];
    await mock.clock.advance(5000);
    expect(await requestsInFlight()).toBe(0);
    await settle(Promise.all(calls));
  });

  test.each<[string, (gateway: Polygate) => Promise<AsyncIterable<unknown>>]>([
    ['create', async (gateway) => gateway.chat.completions.create(streamParams)],
    ['stream', async (gateway) => gateway.chat.completions.stream(chat)],
    [
      'asResponse',
      async (gateway) => bodyOf(await gateway.chat.completions.create(streamParams).asResponse()),
    ],
    ['gateway.fetch', async (gateway) => bodyOf(await fetchStream(gateway))],
  ])('includes a stream until it ends: %s', async (_, open) => {
    const { gateway, mock, settle, requestsInFlight } = observed({ chunkDelayMs: 100 });
    const read = open(gateway).then((items) => drain(items));
    await mock.clock.advance(250);
    expect([await requestsInFlight(), mock.inFlight]).toEqual([1, 1]);
    await settle(read);
    expect([await requestsInFlight(), mock.inFlight]).toEqual([0, 0]);
  });

  test.each<[string, (gateway: Polygate, signal: AbortSignal) => Promise<unknown>]>([
    ['a chat', (gateway, signal) => gateway.chat.completions.create(chat, { signal })],
    ['a stream', (gateway, signal) => drain(gateway.chat.completions.stream(chat, { signal }))],
    ['a submission', (gateway, signal) => gateway.images.submit(image, { signal })],
    ['a generate', (gateway, signal) => gateway.images.generate(image, { signal })],
    [
      'an unread response',
      async (gateway, signal) => {
        const response = await gateway.chat.completions
          .create(streamParams, { signal })
          .asResponse();
        return response.text();
      },
    ],
  ])('goes down when %s is aborted at any time', async (_, call) => {
    for (const ms of [0, 100, 500, 700, 1100, 5000]) {
      const { gateway, mock, settle, requestsInFlight } = observed({
        latencyMs: 500,
        chunkDelayMs: 50,
      });
      const controller = new AbortController();
      void mock.clock.sleep(ms).then(() => controller.abort());
      await settle(Promise.allSettled([call(gateway, controller.signal)]));
      expect(await requestsInFlight()).toBe(0);
    }
  });

  test('goes down after timeouts, lost connections and truncated streams', async () => {
    const { gateway, mock, settle, requestsInFlight } = observed({}, { timeout: 1000 });
    for (const fault of [
      { stallHeaders: true },
      { stallBody: 100 },
      { reset: 'before' },
      { reset: 'after' },
      { truncateBody: 100 },
      { malformed: true },
      { unreachable: true },
    ] as const) {
      const injected = mock.fail(fault);
      await settle(
        Promise.allSettled([
          gateway.images.submit(image),
          gateway.chat.completions.create(chat),
          gateway.chat.completions.stream(chat).final(),
          fetchStream(gateway).then((response) => response.text()),
        ]),
      );
      injected.remove();
      expect(await requestsInFlight()).toBe(0);
    }
  });

  test('is never above the limit of the gateway', async () => {
    const memory = observed({ concurrencyLimit: 3, latencyMs: 100 });
    const seen: number[] = [];
    const gateway = memory.gateway.withOptions({
      fetch: async (input, init) => {
        seen.push(await memory.requestsInFlight());
        return memory.mock.fetch(input, init);
      },
    });
    await memory.settle(gateway.images.submit(image));
    await memory.settle(
      Promise.all(Array.from({ length: 20 }, () => gateway.images.submit(image))),
    );
    expect(Math.max(...seen)).toBe(3);
    expect(Math.min(...seen)).toBe(1);
  });

  test('is the sum over the clients that share a meter provider', async () => {
    const { gateway, settle, meterProvider, tracerProvider, requestsInFlight, mock } = observed({
      latencyMs: 100,
    });
    const other = gateway.withOptions({
      telemetry: openTelemetry({ tracerProvider, meterProvider }),
    });
    const calls = [gateway.models.list(), other.models.list()];
    await mock.clock.advance(50);
    expect(await requestsInFlight()).toBe(2);
    await settle(Promise.all(calls));
  });

  test('is 0 if a stream fails while it is read', async () => {
    const { gateway, mock, settle, requestsInFlight } = observed();
    mock.fail({ streamErrorAfter: 1 });
    await settle(caught(drain(gateway.chat.completions.stream(chat))));
    await settle(fetchStream(gateway).then((response) => response.text()));
    expect(await requestsInFlight()).toBe(0);
  });
});

import { describe, expect, test } from 'vitest';

import type { Polygate } from '../../../src/index.ts';
import type { Fault } from '../../../src/mock/index.ts';
import { caught } from '../../client/support.ts';
import { chat, eventsOf, image, observed } from './observed.ts';

const imageSpan = 'generate_image prism-image';
const chatSpan = 'chat aurora-chat';

describe('a retry is an event', () => {
  test.each<[string, Fault, object]>([
    ['with the status', { status: 503 }, { 'http.response.status_code': 503 }],
    ['with the status', { status: 500 }, { 'http.response.status_code': 500 }],
    ['without a response', { reset: 'before' }, {}],
    ['without a connection', { unreachable: true }, {}],
    ['with a body that was cut off', { truncateBody: 20 }, {}],
  ])('%s: %o', async (_, fault, attributes) => {
    const { gateway, mock, settle, span } = observed();
    mock.fail({ ...fault, times: 2 });
    await settle(gateway.images.submit(image));
    // random() is 0.5, so the delays are half of 500 and 1000 ms.
    expect(span(imageSpan).events.map(({ name, attributes: details }) => [name, details])).toEqual([
      ['polygate.retry', { ...attributes, 'polygate.attempt': 1, 'polygate.delay_ms': 250 }],
      ['polygate.retry', { ...attributes, 'polygate.attempt': 2, 'polygate.delay_ms': 500 }],
    ]);
  });

  test('with the delay that the service requests', async () => {
    const { gateway, mock, settle, span } = observed();
    mock.fail({ status: 503, retryAfter: 3, times: 1 });
    await settle(gateway.chat.completions.create(chat));
    expect(eventsOf(span(chatSpan), 'polygate.retry')).toEqual([
      { 'http.response.status_code': 503, 'polygate.attempt': 1, 'polygate.delay_ms': 3000 },
    ]);
  });

  test('but not if it is not sent: the last failure, and what is never retried', async () => {
    const { gateway, mock, settle, spans } = observed({}, { maxRetries: 1 });
    mock.fail({ status: 500 });
    await settle(caught(gateway.images.submit(image)));
    await settle(caught(gateway.chat.completions.create(chat)));
    expect(spans().map(({ events }) => events.length)).toEqual([1, 0]);
  });

  test('on the span of the poll or the call that is retried', async () => {
    const { gateway, mock, settle, span } = observed();
    mock.fail({ route: 'GET /v1/models', status: 502, times: 1 });
    await settle(gateway.models.list());
    expect(eventsOf(span('GET /v1/models'), 'polygate.retry')).toMatchObject([
      { 'http.response.status_code': 502 },
    ]);
  });

  test('of a rejection for lack of a slot, which counts as an attempt', async () => {
    const { gateway, mock, settle, span } = observed();
    const code = 'concurrency_limit_exceeded';
    mock.fail({ status: 429, code, times: 2 });
    mock.fail({ status: 503, attempt: 3 });
    await settle(gateway.images.submit(image));
    const attempts = eventsOf(span(imageSpan), 'polygate.retry').map((attributes) => [
      attributes?.['polygate.attempt'],
      attributes?.['http.response.status_code'],
    ]);
    expect(attempts).toEqual([
      [1, 429],
      [2, 429],
      [3, 503],
    ]);
  });
});

describe('waiting for a slot is an event', () => {
  /** A gateway with one slot, whose limit the client knows, and which is taken for 5 seconds. */
  async function busyGateway(maxQueueTime = 60_000) {
    const memory = observed({ concurrencyLimit: 1, latencyMs: 5000 }, { maxQueueTime });
    await memory.settle(memory.gateway.chat.completions.create(chat));
    const busy = memory.gateway.chat.completions.create(chat);
    const call = async (work: (gateway: Polygate) => Promise<unknown>) => {
      const result = work(memory.gateway);
      await memory.settle(Promise.allSettled([busy, result]));
      return result;
    };
    return { ...memory, call };
  }

  test('with the time in ms', async () => {
    const { call, mock, span, spans } = await busyGateway();
    await call((gateway) => gateway.images.submit(image));
    expect(span(imageSpan).events).toHaveLength(1);
    expect(eventsOf(span(imageSpan), 'polygate.queued')).toEqual([{ 'polygate.queue_ms': 5000 }]);
    expect(mock.peakInFlight).toBe(1);
    // The others found their slot free.
    const chats = spans().filter(({ name }) => name === chatSpan);
    expect(chats.map(({ events }) => events)).toEqual([[], []]);
  });

  test('even if no slot becomes free', async () => {
    const { call, span } = await busyGateway(1000);
    await caught(call((gateway) => gateway.images.submit(image)));
    expect(eventsOf(span(imageSpan), 'polygate.queued')).toEqual([{ 'polygate.queue_ms': 1000 }]);
    expect(span(imageSpan).attributes['error.type']).toBe('ConcurrencyLimitError');
  });

  test('even if the caller aborts in the meantime', async () => {
    const { call, mock, span } = await busyGateway();
    const controller = new AbortController();
    void mock.clock.sleep(300).then(() => controller.abort());
    const { signal } = controller;
    await caught(call((gateway) => gateway.images.submit(image, { signal })));
    expect(eventsOf(span(imageSpan), 'polygate.queued')).toEqual([{ 'polygate.queue_ms': 300 }]);
  });

  test('for each attempt that waits, after a rejection', async () => {
    const { gateway, mock, settle, span } = observed();
    const code = 'concurrency_limit_exceeded';
    mock.fail({ status: 429, code, times: 1, retryAfter: 2 });
    await settle(gateway.images.submit(image));
    expect(eventsOf(span(imageSpan), 'polygate.queued')).toEqual([{ 'polygate.queue_ms': 2000 }]);
    expect(eventsOf(span(imageSpan), 'polygate.retry')).toEqual([
      { 'http.response.status_code': 429, 'polygate.attempt': 1, 'polygate.delay_ms': 2000 },
    ]);
  });
});

test('a status is an event once, although several polls report it', async () => {
  const { gateway, mock, settle, span, spans } = observed();
  await settle(gateway.images.generate(image));
  const polls = spans().filter(({ name }) => name.startsWith('GET'));
  expect(polls.length).toBeGreaterThan(2);
  expect(mock.tasks[0]?.status).toBe('completed');
  expect(eventsOf(span('wait image'), 'polygate.status')).toEqual([
    { 'polygate.status': 'running' },
    { 'polygate.status': 'succeeded' },
  ]);
});

test('a status that another wait has received is an event of both', async () => {
  const { gateway, settle, spans } = observed();
  const task = await settle(gateway.images.submit(image));
  await settle(Promise.all([task.wait(), task.wait()]));
  const waits = spans().filter(({ name }) => name === 'wait image');
  expect(waits).toHaveLength(2);
  for (const wait of waits) {
    expect(eventsOf(wait, 'polygate.status').at(-1)).toEqual({ 'polygate.status': 'succeeded' });
  }
});

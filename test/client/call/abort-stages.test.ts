import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { AbortedError, Polygate } from '../../../src/index.ts';
import type { PolygateOptions } from '../../../src/index.ts';
import { createMockGateway } from '../../../src/mock/index.ts';
import type { Fault, MockGateway } from '../../../src/mock/index.ts';
import { listen } from '../../../src/mock/node/index.ts';
import { caught, chat, drain, image, turns } from '../support.ts';

/** The calls run on a socket and in real time. Without an abort, none of them would end. */
const forever = 1_000_000;
const longIntervals = { pollInterval: forever, maxPollInterval: forever, waitTimeout: 2 * forever };
const shortIntervals = { pollInterval: 1, maxPollInterval: 1, waitTimeout: 2 * forever };
const material = { url: 'https://files.example/a.png', type: 'image' as const };

interface Stage {
  readonly start: (gateway: Polygate, signal: AbortSignal, mock: MockGateway) => Promise<unknown>;
  readonly fault?: Fault;
  /** The stage is reached after this many requests and this many response headers. */
  readonly reached: readonly [number, number];
  readonly options?: PolygateOptions;
}

const submits = 'POST /v1/images/tasks';
const polls = 'GET /v1/images/tasks/{id}';
const chats = 'POST /v1/chat/completions';
const materialPolls = 'GET /v1/materials/{id}';
const submit: Stage['start'] = (gateway, signal) => gateway.images.submit(image, { signal });
const createChat: Stage['start'] = (gateway, signal) =>
  gateway.chat.completions.create(chat, { signal });
const read: Stage['start'] = async (gateway, signal) =>
  drain(await gateway.chat.completions.create({ ...chat, stream: true }, { signal }));
const final: Stage['start'] = (gateway, signal) =>
  gateway.chat.completions.stream(chat, { signal }).final();
const wait: Stage['start'] = (gateway, signal) =>
  gateway.images.wait('task_1', { signal, ...longIntervals });
const register: Stage['start'] = (gateway, signal) =>
  gateway.materials.register(material, { signal, ...shortIntervals });
const download: Stage['start'] = async (gateway, signal, mock) => {
  mock.fail({
    route: polls,
    body: { id: 'task_1', status: 'completed', image_url: `${gatewayURL(mock)}/x` },
  });
  return gateway.download(gateway.images.task('task_1'), { signal });
};
const urls = new WeakMap<MockGateway, string>();
const gatewayURL = (mock: MockGateway) => urls.get(mock);

const stages: Readonly<Record<string, Stage>> = {
  'while the API key is fetched': {
    start: submit,
    reached: [0, 0],
    options: { apiKey: () => new Promise<string>(() => undefined) },
  },
  'in the queue': {
    start: async (gateway, signal) => {
      gateway.images.submit(image, { maxRetries: 0 }).catch(() => undefined);
      await turns();
      return gateway.images.submit(image, { signal });
    },
    fault: { route: submits, stallHeaders: true },
    reached: [1, 0],
    options: { concurrency: 1 },
  },
  'before the headers of a submit': {
    start: submit,
    fault: { route: submits, stallHeaders: true },
    reached: [1, 0],
  },
  'in the body of a submit': {
    start: submit,
    fault: { route: submits, stallBody: 20 },
    reached: [1, 1],
  },
  'in the body of an error': {
    start: submit,
    fault: { route: submits, status: 400, stallBody: 20 },
    reached: [1, 1],
  },
  'in the delay before a retry': {
    start: submit,
    fault: { route: submits, status: 503, retryAfter: 50 },
    reached: [1, 1],
  },
  // The client-wide pause after a 429 continues after the abort, so it is short.
  'while a call waits for a slot after a 429': {
    start: submit,
    fault: { route: submits, status: 429, retryAfter: 1 },
    reached: [1, 1],
  },
  'before the headers of a chat': {
    start: createChat,
    fault: { route: chats, stallHeaders: true },
    reached: [1, 0],
  },
  'in the body of a chat': {
    start: createChat,
    fault: { route: chats, stallBody: 9 },
    reached: [1, 1],
  },
  'before the headers of a stream': {
    start: read,
    fault: { route: chats, stallHeaders: true },
    reached: [1, 0],
  },
  'in a stream': { start: read, fault: { route: chats, stallBody: 300 }, reached: [1, 1] },
  'in a stream that final() reads': {
    start: final,
    fault: { route: chats, stallBody: 300 },
    reached: [1, 1],
  },
  'before the headers of a poll': {
    start: wait,
    fault: { route: polls, stallHeaders: true },
    reached: [1, 0],
  },
  'in the body of a poll': {
    start: wait,
    fault: { route: polls, stallBody: 9 },
    reached: [1, 1],
  },
  'in the delay between polls': {
    start: wait,
    fault: { route: polls, body: { id: 'task_1', status: 'queued' } },
    reached: [1, 1],
  },
  'in the delay after a failed poll': {
    start: wait,
    fault: { route: polls, status: 503 },
    reached: [1, 1],
  },
  'in updates()': {
    start: (gateway, signal) =>
      drain(gateway.images.task('task_1').updates({ signal, ...longIntervals })),
    fault: { route: polls, body: { id: 'task_1', status: 'queued' } },
    reached: [1, 1],
  },
  'before the headers of a material poll': {
    start: register,
    fault: { route: materialPolls, stallHeaders: true },
    reached: [2, 1],
  },
  'in the delay of a wait for a material': {
    start: (gateway, signal) => gateway.materials.wait('mat_1', { signal, ...longIntervals }),
    fault: { route: materialPolls, status: 503 },
    reached: [1, 1],
  },
  'before the headers of a page': {
    start: (gateway, signal) => gateway.materials.list({}, { signal }),
    fault: { stallHeaders: true },
    reached: [1, 0],
  },
  'before the headers of a raw response': {
    start: (gateway, signal) => gateway.models.list({}, { signal }).asResponse(),
    fault: { stallHeaders: true },
    reached: [1, 0],
  },
  'before the headers of a download': {
    start: download,
    fault: { route: 'GET /x', stallHeaders: true },
    reached: [2, 1],
  },
};

test.each(Object.entries(stages))(
  'an abort %s rejects within a turn of the event loop, and leaves nothing behind',
  async (_, { start, fault, reached: [requestCount, headerCount], options }) => {
    const mock = createMockGateway({ tasks: { durationMs: forever } });
    if (fault !== undefined) mock.fail(fault);
    const listening = await listen(mock);
    urls.set(mock, listening.baseURL);
    const timers = countTimers();
    let headers = 0;
    const counted: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      headers += 1;
      return response;
    };
    const gateway = new Polygate({
      apiKey: mock.apiKey,
      baseURL: listening.baseURL,
      fetch: counted,
      timeout: forever,
      streamIdleTimeout: forever,
      maxQueueTime: forever,
      allowInsecureBaseURL: true,
      logLevel: 'off',
      ...options,
    });
    const stop = new AbortController();
    const reason = new Error('no longer wanted');
    let error: unknown;
    const ended = caught(start(gateway, stop.signal, mock)).then((caughtError) => {
      error = caughtError;
    });
    const progress = () => `${mock.requests.length} ${headers}`;
    const stage = `${requestCount} ${headerCount}`;
    expect(await soon(progress, (now) => now === stage)).toBe(stage);
    const isReady = () => options?.concurrency !== 1 || gateway.concurrency.queued === 1;
    expect(await soon(isReady, Boolean)).toBe(true);
    // Leaves time for the steps after the headers. The test would also pass with an abort that is a little early.
    await pause(10);
    expect(error).toBeUndefined();
    stop.abort(reason);
    await turns(1);
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ cause: reason });
    await ended;
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    const others = options?.concurrency === 1 ? 1 : 0;
    expect(gateway.concurrency).toMatchObject({ inFlight: others, queued: 0 });
    expect(
      await soon(
        () => mock.inFlight,
        (now) => now === others,
      ),
    ).toBe(others);
    await listening.close();
    expect(await soon(countTimers, (now) => now <= timers)).toBeLessThanOrEqual(timers);
    expect(mock.requests).toHaveLength(requestCount);
  },
);

/** Waits, without a timer of its own, until a value is as expected. */
async function soon<Value>(
  current: () => Value,
  isExpected: (value: Value) => boolean,
): Promise<Value> {
  const deadline = performance.now() + 50_000;
  while (!isExpected(current()) && performance.now() < deadline) await turns(1);
  return current();
}

/** Timers that keep the process alive. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}
